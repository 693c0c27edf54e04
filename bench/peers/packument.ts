export const PACKAGE = 'pml-bench-peer'

const VERSION = '1.0.0'

/** One small version with a description that fills the requested size. */
export function packument(sizeBytes: number): object {
  const missing = sizeBytes - JSON.stringify(withDescription('')).length
  return withDescription('x'.repeat(Math.max(0, missing)))
}

function withDescription(description: string): object {
  const time = '2026-01-01T00:00:00.000Z'
  const version = {
    name: PACKAGE,
    version: VERSION,
    description,
    main: 'index.js',
    license: 'MIT',
    dist: { shasum: '0'.repeat(40), tarball: `http://localhost/${PACKAGE}/-/${PACKAGE}-${VERSION}.tgz` },
  }
  return {
    _id: PACKAGE,
    _rev: '1-0000000000000000',
    name: PACKAGE,
    'dist-tags': { latest: VERSION },
    versions: { [VERSION]: version },
    time: { created: time, modified: time, [VERSION]: time },
    _distfiles: {},
    _attachments: {},
    _uplinks: {},
    users: {},
    readme: '',
  }
}
