"""Adapters for the frameworks in which people write agents, a file for each.

A file imports its framework when it is imported, and nothing imports it but its user.
"""
