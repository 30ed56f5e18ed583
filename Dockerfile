FROM python:3.11-slim AS build
WORKDIR /src
COPY pyproject.toml README.md LICENSE ./
COPY fakeapi fakeapi
COPY storage storage
RUN pip wheel --no-cache-dir --no-deps --wheel-dir /wheels .

FROM python:3.11-slim
# The locked dependencies, those of the extra `cel` included.
COPY requirements.lock /tmp/requirements.lock
RUN pip install --no-cache-dir --require-hashes -r /tmp/requirements.lock
COPY --from=build /wheels /wheels
RUN pip install --no-cache-dir --no-deps /wheels/*.whl && rm -r /wheels /tmp/requirements.lock
# Writable for any user, so that the stack can run as the one who started it.
RUN useradd --uid 1000 fakeapi && install -d -m 1777 /data /kubeconfig
USER fakeapi
VOLUME /data
EXPOSE 8001
ENV FAKEAPI_HOST=0.0.0.0 FAKEAPI_DB=/data/fakeapi.db
HEALTHCHECK --interval=5s --timeout=3s --start-period=10s CMD ["fakeapi", "healthcheck"]
ENTRYPOINT ["fakeapi"]
CMD ["serve"]
