module.exports = { hooks: { readPackage } }

/** Scalar's browser bundle holds everything that it needs: 270 packages fewer to install. It never runs on Node. */
function readPackage(manifest) {
  if (manifest.name === '@scalar/api-reference') {
    manifest.dependencies = {}
    delete manifest.engines
  }
  return manifest
}
