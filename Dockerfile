# The server and the command line in one image. It runs as nobody in particular and writes only below /scratch, /tmp and
# /plugins, so that its root file system can be read-only.
FROM node:26-slim AS build
WORKDIR /app
COPY . .
RUN npm ci --ignore-scripts && node scripts/build.ts --out /built
# Of a dependency that tools need in another version, each package has its own copy.
RUN npm ci --ignore-scripts --omit=dev --omit=optional \
    && rm node_modules/@jibe/testkit \
    && for own in packages/*/node_modules; do mv "$own" "/built/${own#packages/}"; done \
    && find node_modules /built -name '*.d.ts' -delete

FROM node:26-slim
ENV NODE_ENV=production HOME=/tmp VELERO_SCRATCH_DIR=/scratch
WORKDIR /app
COPY LICENSE ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /built packages
RUN mkdir /scratch /plugins && chown 65532:65532 /scratch /plugins
USER 65532:65532
EXPOSE 8085
ENTRYPOINT ["node", "/app/packages/jibe/bin/jibe.js"]
CMD ["server"]
