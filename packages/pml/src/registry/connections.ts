// Loaded with the first request. A bundle gives its names only to such an import.
export { Agent, EnvHttpProxyAgent } from 'undici'
