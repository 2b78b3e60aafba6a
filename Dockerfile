# The server and the command line in one image. It runs as nobody in particular and writes only below /scratch, /tmp and
# /plugins, so that its root file system can be read-only.
FROM node:26-slim AS dependencies
WORKDIR /app
COPY . .
RUN npm ci --omit=dev --omit=optional --ignore-scripts

FROM node:26-slim
ENV NODE_ENV=production HOME=/tmp VELERO_SCRATCH_DIR=/scratch
WORKDIR /app
COPY --from=dependencies /app/node_modules node_modules
COPY package.json LICENSE ./
COPY packages/base packages/base
COPY packages/kube packages/kube
COPY packages/sandbox packages/sandbox
COPY packages/go-plugin packages/go-plugin
COPY packages/plugin-sdk packages/plugin-sdk
COPY packages/engine packages/engine
COPY packages/jibe packages/jibe
RUN mkdir /scratch /plugins && chown 65532:65532 /scratch /plugins
USER 65532:65532
EXPOSE 8085
ENTRYPOINT ["node", "/app/packages/jibe/bin/jibe.js"]
CMD ["server"]
