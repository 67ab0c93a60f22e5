# Every step also runs without Docker: make image-steps
FROM python:3.11-slim AS build
WORKDIR /app
COPY requirements.txt requirements-pdf.txt ./
RUN python -m venv /opt/venv \
 && /opt/venv/bin/python -m pip install --no-cache-dir --disable-pip-version-check -r requirements-pdf.txt
COPY app.py LICENSE ./
COPY .streamlit .streamlit
COPY assets assets
COPY core core
COPY docs docs
COPY pages pages
RUN /opt/venv/bin/python -m compileall -q --invalidation-mode unchecked-hash app.py core pages

FROM python:3.11-slim
# A user by number: nothing to create, and Kubernetes can see that it is not root.
RUN install -d -o 10001 -g 10001 /data
COPY --from=build /opt/venv /opt/venv
COPY --from=build /app /app
WORKDIR /app
ENV PATH=/opt/venv/bin:$PATH \
    HOME=/data \
    MIXWRIGHT_HOME=/data \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    STREAMLIT_SERVER_ADDRESS=0.0.0.0 \
    STREAMLIT_SERVER_PORT=8501 \
    STREAMLIT_SERVER_HEADLESS=true \
    STREAMLIT_SERVER_FILE_WATCHER_TYPE=none \
    STREAMLIT_BROWSER_GATHER_USAGE_STATS=false
USER 10001:10001
VOLUME /data
EXPOSE 8501
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s \
  CMD ["python", "-c", "import os, urllib.request as u; u.urlopen('http://127.0.0.1:' + os.environ['STREAMLIT_SERVER_PORT'] + '/_stcore/health', timeout=4)"]
# A command after the image name replaces it: docker run mixwright python -m core demo
CMD ["python", "-m", "streamlit", "run", "app.py"]
