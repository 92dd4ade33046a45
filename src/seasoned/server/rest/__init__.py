"""REST: every store of Seasoned under `/v1`, JSON in and out, a file per resource."""
