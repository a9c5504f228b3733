# Tuma with all roles: docker compose up. Nothing is built: this Node runs the TypeScript as it is.
FROM node:24-bookworm-slim

WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# Optional are only the packages that bring a Node, and this image has one.
RUN npm ci --omit=dev --omit=optional && npm cache clean --force
COPY bin bin
COPY src src
COPY jobs jobs
COPY templates templates
COPY LICENSE README.md ./

# The ledger lives here, and is the record of truth: keep it on a volume.
ENV TUMA_HOME=/data
RUN mkdir /data && chown node:node /data && chmod 700 /data && ln -s /app/bin/tuma /usr/local/bin/tuma
VOLUME /data
USER node
# Commands write beside it what has no other place (rejects.csv, exports); the container itself is not theirs to write to.
WORKDIR /data

# Collector, and the dashboard with /metrics.
EXPOSE 8080 8081
STOPSIGNAL SIGTERM
ENTRYPOINT ["tuma"]
CMD ["serve"]
