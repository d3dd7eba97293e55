"""Logs: continued after what is whole, refused for another run, and read with every number checked."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path
from typing import Any

import pytest

import hannan as hn
from hannan.errors import FileError, MismatchError
from hannan.runs.log import FORMAT, VERSION, Log, read_log
from hannan.runs.progress import Point

pytestmark = pytest.mark.filterwarnings("ignore::hannan.files.OldFileWarning")  # of lines made by hand

HEADING = {"game": "kuhn_poker", "method": "cfr", "parameters": {"updates": "alternating", "powers": (1, 2)}}
POINTS = [Point(1, 0.5, 0.25, 0.25), Point(2, 1.0, 0.125, 0.125), Point(4, 2.0, 0.0625, 0.0625)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    with Log(tmp_path / "x.log", HEADING) as log:
        for point in POINTS[:2]:
            log.point(point)
    return tmp_path / "x.log"


def test_what_is_written_is_read(path: Path) -> None:
    with Log(path, HEADING, append=True) as log:
        log.point(POINTS[2])
        log.stop("gap", False)
    found = read_log(path)
    assert found.curve == tuple(POINTS)
    assert found.stop == "gap"
    assert found.label == "cfr"


def test_variances_are_read_and_may_be_missing(path: Path) -> None:
    """Of one run, and by the letter: a log from before there were variances, and one of a game without gaps."""
    with Log(path, HEADING, append=True) as log:
        log.point(Point(4, 2.0, 0.0625, 0.0625, 3.5, 0.25))
        log.point(Point(5, 2.5, None, None, 3.25, 0.125))
    lines = path.read_text().splitlines()
    assert lines[1].startswith('{"iteration": 1, "seconds": 0.5, "gap": 0.25, "nash_conv": 0.25, "digest": "')
    assert lines[4].startswith('{"iteration": 5, "seconds": 2.5, "variance": 3.25, "given_visit": 0.125, "digest": "')
    first, _, third, fourth = read_log(path).curve
    assert (first.variance, first.given_visit) == (None, None)
    assert third == Point(4, 2.0, 0.0625, 0.0625, 3.5, 0.25)
    assert (fourth.gap, fourth.nash_conv) == (None, None)
    assert (fourth.variance, fourth.given_visit) == (3.25, 0.125)


@pytest.mark.parametrize("lost", [1, 2, 20])
def test_a_log_cut_short_is_continued(path: Path, lost: int) -> None:
    """What is left of the last line goes, even where only its end is missing; the next one stands on its own."""
    path.write_bytes(path.read_bytes()[:-lost])
    assert read_log(path).curve == (POINTS[0],)
    with Log(path, HEADING, append=True) as log:
        log.point(POINTS[2])
    assert read_log(path).curve == (POINTS[0], POINTS[2])
    assert all(json.loads(line) for line in path.read_text().splitlines())


def test_a_log_of_an_older_version_is_continued(tmp_path: Path) -> None:
    """The parameter `over` of samplers was called `on`."""
    older = {**HEADING, "method": "mccfr-es", "parameters": {"on": "tree"}}
    with Log(tmp_path / "x", older) as log:
        log.point(POINTS[0])
    with pytest.raises(MismatchError, match="another run"):
        Log(tmp_path / "x", {**older, "parameters": {"over": "rules"}}, append=True)
    with Log(tmp_path / "x", {**older, "parameters": {"over": "tree"}}, append=True) as log:
        log.point(POINTS[1])
    assert read_log(tmp_path / "x").curve == tuple(POINTS[:2])


def test_an_empty_file_is_begun(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"")
    with Log(tmp_path / "x", HEADING, append=True) as log:
        log.point(POINTS[0])
    assert read_log(tmp_path / "x").curve == (POINTS[0],)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"game": "leduc_poker"}, "there game is 'kuhn_poker', here 'leduc_poker'; give another file"),
        ({"method": "cfr+"}, "there method is 'cfr', here 'cfr+'"),
        ({"parameters": {}}, "there parameters is .*, here {}"),
        ({"seed": 3}, "there seed is None, here 3"),
    ],
)
def test_the_log_of_another_run_is_refused(path: Path, change: dict[str, Any], sentence: str) -> None:
    before = path.read_bytes()
    with pytest.raises(MismatchError, match="is the log of another run: " + sentence.replace("+", r"\+")):
        Log(path, {**HEADING, **change}, append=True)
    assert path.read_bytes() == before


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a file that is always full")
def test_a_full_disk_gets_a_sentence() -> None:
    with pytest.raises(FileError, match="/dev/full cannot be written: No space left on device"):
        Log("/dev/full", HEADING)


HEAD = json.dumps({"format": FORMAT, "version": VERSION})


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ('{"iteration": "1", "seconds": 1, "gap": 1, "nash_conv": 1}', "not a measurement .iteration is '1'"),
        ('{"iteration": 1.5, "seconds": 1, "gap": 1, "nash_conv": 1}', "not a measurement .iteration is 1.5"),
        ('{"iteration": true, "seconds": 1, "gap": 1, "nash_conv": 1}', "not a measurement .iteration is True"),
        ('{"iteration": 1, "seconds": null, "gap": 1, "nash_conv": 1}', "not a measurement .seconds is None"),
        ('{"iteration": 1, "seconds": 1, "gap": NaN, "nash_conv": 1}', "not a measurement .gap is nan"),
        ('{"iteration": 1, "seconds": 1, "gap": 1e999, "nash_conv": 1}', "not a measurement .gap is inf"),
        ('{"iteration": 1, "seconds": 1, "gap": 1, "nash_conv": [1]}', r"not a measurement .nash_conv is \[1\]"),
        ('{"iteration": 1, "seconds": 1, "gap": 1, "nash_conv": 1' + "0" * 400 + "}", "not a measurement .nash_conv"),
        ('{"iteration": 1}', "not a measurement"),
        ('{"iteration": 1, "seconds": 1, "given_visit": 1}', "not a measurement"),
        ('{"iteration": 1, "seconds": 1, "variance": null}', "not a measurement .variance is None"),
        ('{"iteration": 1, "seconds": 1, "variance": NaN}', "not a measurement .variance is nan"),
        ('{"iteration": 1, "seconds": 1, "gap": null, "variance": 1}', "not a measurement .gap is None"),
        ('{"what": 1}', "not a measurement"),
        ("[1, 2]", "not a line of a hannan log"),
        ("[" * 100_000, "not a line of a hannan log"),
        ("garbage", "not a line of a hannan log"),
    ],
)
def test_lines_that_make_no_sense(line: str, sentence: str, tmp_path: Path) -> None:
    (tmp_path / "x").write_text(f"{HEAD}\n{line}\n")
    with pytest.raises(FileError, match=f"x, line 2: this is {sentence}"):
        read_log(tmp_path / "x")


def test_a_label_names_the_parameters_that_differ(tmp_path: Path) -> None:
    heading = {"game": "kuhn_poker", "method": "vr-mccfr", "parameters": {"baseline": "predictive", "rate": 0.5}}
    with Log(tmp_path / "x.log", heading):
        pass
    assert hn.read_log(tmp_path / "x.log").label == "vr-mccfr(baseline=predictive)"


def test_two_writers_do_not_mix(path: Path) -> None:
    before = path.read_bytes()
    with Log(path, HEADING, append=True):
        for append in (True, False):
            with pytest.raises(FileError, match="is the log of a run that is under way; give another file"):
                Log(path, HEADING, append=append)
    assert path.read_bytes() == before


def test_a_pipe_that_nobody_reads_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(FileError, match="pipe cannot be written: this pipe has no reader"):
        Log(tmp_path / "pipe", HEADING)


def test_what_could_not_be_written_comes_later(tmp_path: Path) -> None:
    """The disk is full for a while, in the middle of a line; then there is room again, and nothing is missing."""
    path = tmp_path / "x.log"
    with Log(path, HEADING) as log:
        log.point(POINTS[0])
        before, writing = path.read_bytes(), log._file

        class Full:
            def __getattr__(self, name: str) -> Any:
                return getattr(writing, name)

            def write(self, data: bytes) -> int:
                if writing.write(data[:3]) and len(path.read_bytes()) > len(before) + 5:
                    raise OSError(errno.ENOSPC, "No space left on device")
                return 3

        log._file = Full()  # type: ignore[assignment]
        log.point(POINTS[1])
        assert "x.log cannot be written: No space left on device" in str(log.unwritten)
        log._file = writing
        log.stop("gap", False)
        assert log.unwritten is None
    read = read_log(path)
    assert (read.curve, read.stop) == (tuple(POINTS[:2]), "gap")


def test_only_what_was_measured_because_a_run_ended_is_left_out(tmp_path: Path) -> None:
    """A search measures at 10, 20, 40, …: none of these is lost, whatever the schedule of other runs; 50 is."""
    path, half = tmp_path / "x.log", tmp_path / "half"
    hn.search("goofspiel(cards=3,information=open)", iterations=50, checkpoint=half, log=path)
    assert [point.iteration for point in read_log(path).curve] == [10, 20, 40, 50]
    hn.search(iterations=200, resume=half, log=path)
    assert [point.iteration for point in read_log(path).curve] == [10, 20, 40, 80, 160, 200]


def test_a_stop_of_an_older_log_is_judged_by_the_schedule_of_gaps(path: Path) -> None:
    """It does not say whether the run ended between two measurements; 7 is none of the schedule's."""
    lines = [json.dumps(vars(Point(n, 1.0, 0.5, 0.5))) for n in (4, 7)] + ['{"stop": "iterations"}']
    kept = [line.replace(', "variance": null, "given_visit": null', "") for line in lines]
    (path.parent / "old").write_text("\n".join([HEAD, *kept, ""]))
    assert [point.iteration for point in read_log(path.parent / "old").curve] == [4, 7]
    with (path.parent / "old").open("a") as file:
        file.write(kept[0].replace(": 4", ": 8", 1) + "\n")
    assert [point.iteration for point in read_log(path.parent / "old").curve] == [4, 8]


def test_a_certification_keeps_a_log(tmp_path: Path) -> None:
    path, half = tmp_path / "x.log", tmp_path / "half"
    hn.certify("kuhn_poker", playthroughs=250, method="cfr", checkpoint=half, log=path)
    certificate = hn.certify(playthroughs=420, resume=half, log=path)
    read = read_log(path)
    assert (read.counts, read.label, read.stop) == ("playthroughs", "certify(cfr)", "playthroughs")
    assert [point.iteration for point in read.curve] == [100, 200, 300, 400, 420]
    proven = {bound.playthroughs: bound.gap for bound in certificate.curve}
    assert all(proven[point.iteration] == point.gap for point in read.curve[:-1])
    hn.certify("kuhn_poker", playthroughs=100, method="lp", checkpoint=half)
    with pytest.raises(MismatchError, match=r"is the log of another run: there method is 'certify\(cfr\)'"):
        hn.certify(playthroughs=200, resume=half, log=path)


def test_a_log_that_is_removed_during_the_run_is_missed(tmp_path: Path) -> None:
    """Lines go on into a file without a name."""
    path = tmp_path / "x"
    with Log(path, {"game": "kuhn_poker"}) as log:
        log.point(Point(1, 1.0, 0.5, 0.5))
        assert log.unwritten is None
        path.unlink()
        log.stop("iterations", between=False)
        assert str(log.unwritten) == f"{path} was removed during the run: its lines are lost"
