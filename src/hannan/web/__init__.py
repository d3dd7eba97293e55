"""The explorer: a page in the browser, and the interface beneath it.

`door.py` checks requests, `app.py` and `routes/` answer them, `session.py` holds open games, `worker.py` solves in a
process of its own. The page's sources are in `page/`, the built page is in `static/`. docs/reference/explorer_api.md
describes the interface.
"""
