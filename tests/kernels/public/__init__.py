"""Tests of loops over public trees."""
