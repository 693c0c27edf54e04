// Loaded when something is written: it listens to signals from then on. A bundle gives its names only to such an import.
export { lock } from 'proper-lockfile'
