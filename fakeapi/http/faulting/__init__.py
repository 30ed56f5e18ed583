"""What armed faults do to requests and watches."""
