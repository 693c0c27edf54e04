/* global Scalar */

Scalar.createApiReference('#reference', {
  url: '/openapi.json',
  // The page may reach only the server that it came from, whatever address the document names.
  servers: [{ url: location.origin }],
  authentication: { preferredSecurityScheme: 'key' },
  // Without a key the header would be "Bearer" alone, which the registry refuses.
  onRequestBuilt: ({ request: { headers } }) => {
    if (headers.get('authorization')?.trim() === 'Bearer') headers.delete('authorization')
  },
  // Keys are not kept in the browser.
  persistAuth: false,
  defaultOpenAllTags: false,
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  // Everything below would load from elsewhere, or link to a service of Scalar's.
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
})
