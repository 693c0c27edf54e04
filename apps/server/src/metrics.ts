import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

export interface Metrics {
  observe(request: { route: string; method: string; status: number; seconds: number }): void
  text(): Promise<string>
  readonly contentType: string
}

interface Gauges {
  readonly cacheBytes: () => number
  readonly databaseUp: () => boolean
  readonly proxiedCalls: () => number
  readonly bodyBytes: () => number
}

export function createMetrics({ cacheBytes, databaseUp, proxiedCalls, bodyBytes }: Gauges): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const duration = new Histogram({
    name: 'pml_request_duration_seconds',
    help: 'Requests by route, method and status',
    labelNames: ['route', 'method', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  })
  new Gauge({
    name: 'pml_cache_bytes',
    help: 'Bytes of entries held in memory',
    registers: [registry],
    collect() {
      this.set(cacheBytes())
    },
  })
  new Gauge({
    name: 'pml_database_up',
    help: '1 while the database answers',
    registers: [registry],
    collect() {
      this.set(Number(databaseUp()))
    },
  })
  new Gauge({
    name: 'pml_proxied_calls',
    help: 'Calls to proxied servers that run now, streams included',
    registers: [registry],
    collect() {
      this.set(proxiedCalls())
    },
  })
  new Gauge({
    name: 'pml_body_bytes',
    help: 'Bytes of request bodies held in memory',
    registers: [registry],
    collect() {
      this.set(bodyBytes())
    },
  })
  return {
    observe: ({ route, method, status, seconds }) =>
      duration.labels(route, method, String(status)).observe(seconds),
    text: () => registry.metrics(),
    contentType: registry.contentType,
  }
}
