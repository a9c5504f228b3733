# Tuma with all roles: docker compose up. Nothing is built: this Node runs the TypeScript as it is.
FROM node:24-bookworm-slim

WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# Optional are only the packages that bring a Node, and this image has one.
RUN npm ci --omit=dev --omit=optional && npm cache clean --force
COPY bin bin
COPY src src
COPY docs docs
COPY jobs jobs
COPY templates templates
COPY LICENSE README.md ./

# The ledger lives here, and is the record of truth: keep it on a volume.
ENV TUMA_HOME=/data
# What was sent is noted here, so that an older ledger is noticed. Not in /data: whoever puts an old /data back would put these notes back too.
ENV XDG_STATE_HOME=/state
RUN mkdir /data /state && chown node:node /data /state && chmod 700 /data /state && ln -s /app/bin/tuma /usr/local/bin/tuma
VOLUME /state
VOLUME /data
USER node
# Commands write beside it what has no other place (rejects.csv, exports); the container itself is not theirs to write to.
WORKDIR /data

# Collector, and the dashboard with /metrics.
EXPOSE 8080 8081
STOPSIGNAL SIGTERM
# The collector answers 503 while the ledger takes no webhooks. It answers within 3 s.
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.TUMA_PORT || 8080}/health`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["tuma"]
CMD ["serve"]
