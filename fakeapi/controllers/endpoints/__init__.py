"""The controllers that write the addresses of a Service's pods: EndpointSlices and Endpoints."""
