"""Equilibria of one support after another: bounds over boxes, Newton's method with bounds, subdivision."""
