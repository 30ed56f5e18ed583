# syntax=docker/dockerfile:1
# Release builds pin the base image by digest: docker build --build-arg PYTHON=python:3.14-slim@sha256:…
ARG PYTHON=python:3.14-slim

FROM ${PYTHON} AS build
WORKDIR /src
COPY pyproject.toml README.md LICENSE ./
COPY tools/metadata_hook.py tools/
COPY fakeapi fakeapi
COPY storage storage
COPY requirements.lock ./
# The locked dependencies with the extras cel, node, postgresql, record and zstd, in an environment of their own.
RUN python -m venv /opt/fakeapi \
    && /opt/fakeapi/bin/pip install --no-cache-dir --disable-pip-version-check --require-hashes -r requirements.lock \
    && /opt/fakeapi/bin/pip install --no-cache-dir --disable-pip-version-check --no-deps .

FROM ${PYTHON}
LABEL org.opencontainers.image.title="fakeapi" \
      org.opencontainers.image.description="A fake Kubernetes API server for tests, made for Dynamic Resource Allocation" \
      org.opencontainers.image.licenses="Apache-2.0"
COPY --from=build /opt/fakeapi /opt/fakeapi
# Any user may write here, so that the container can run as the user who started it.
RUN useradd --uid 1000 fakeapi && install -d -m 1777 /data /kubeconfig
ENV PATH=/opt/fakeapi/bin:$PATH HOME=/tmp FAKEAPI_HOST=0.0.0.0 FAKEAPI_DB=/data/fakeapi.db
USER fakeapi
VOLUME /data
EXPOSE 8001
HEALTHCHECK --interval=5s --timeout=3s --start-period=10s CMD ["fakeapi", "healthcheck"]
ENTRYPOINT ["fakeapi"]
CMD ["serve"]
