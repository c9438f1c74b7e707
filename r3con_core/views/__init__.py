"""Views of records, pure: tables, groups, graphs, hierarchies, timelines, plots, and what supports an answer."""
