export {
  catalogPage,
  catalogQuery,
  errorBody,
  keyCreated,
  keyList,
  metadata,
  newKey,
  published,
  type CatalogPage,
  type CatalogQuery,
  type Metadata,
  type NewKey,
} from './api.ts'
export {
  description,
  httpDocument,
  publishedDocument,
  routing,
  stdioDocument,
  visibility,
  type PublishedDocument,
} from './documents.ts'
