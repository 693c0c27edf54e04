/**
 * Harmless, unrelated samples of everyday content. A block pattern that is found in one of them, or an approve pattern
 * that covers one, is too wide.
 */
export const ordinarySources: Readonly<Record<string, string>> = {
  'a React component': `import { useState } from 'react'

function Counter({ start = 0 }: { start?: number }) {
  const [count, setCount] = useState(start)
  return (
    <button type="button" onClick={() => setCount(count + 1)}>
      Clicked {count} times
    </button>
  )
}
`,
  'a line of JavaScript': `const total = items.reduce((sum, item) => sum + item.price, 0)
`,
  'a Python class': `from dataclasses import dataclass


@dataclass
class Account:
    owner: str
    balance: int = 0

    def deposit(self, amount: int) -> None:
        if amount <= 0:
            raise ValueError("amount must be positive")
        self.balance += amount
`,
  'an SQL migration': `CREATE TABLE orders (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  customer text NOT NULL,
  placed_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX orders_customer ON orders (customer);
`,
  'a shell script': `#!/usr/bin/env bash
set -euo pipefail

cd "$(dirname "$0")/.."
for file in src/*.txt; do
  echo "Reading $file"
  wc -l "$file"
done
`,
  'a Go handler': `package api

import (
	"encoding/json"
	"net/http"
)

func health(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(map[string]string{"status": "ok"}); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}
`,
  'a Rust function': `/// The words of a line, longest first.
pub fn longest_words(line: &str) -> Vec<&str> {
    let mut words: Vec<&str> = line.split_whitespace().collect();
    words.sort_by_key(|word| std::cmp::Reverse(word.len()));
    words
}
`,
  'a Dockerfile': `FROM node:22.11-slim AS build
WORKDIR /app
COPY package.json pnpm-lock.yaml ./
RUN npm ci
COPY . .
EXPOSE 8080
CMD ["node", "dist/main.js"]
`,
  'a CI workflow': `name: ci
on:
  push:
    branches: [main]
jobs:
  test:
    runs-on: ubuntu-24.04
    steps:
      - uses: actions/checkout@v4
      - run: npm ci && npm test
`,
  'a style sheet': `.card {
  display: grid;
  gap: 1rem;
  padding: 0.5rem 1rem;
  border: 1px solid var(--line);
}

.card > h2:first-child {
  margin: 0;
}
`,
  'a web page': `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>Orders</title>
    <link rel="stylesheet" href="/style.css" />
  </head>
  <body>
    <h1>Orders</h1>
    <p>Nothing has been ordered yet.</p>
  </body>
</html>
`,
  'a JSON configuration': `{
  "name": "orders",
  "version": "1.4.0",
  "private": true,
  "scripts": {
    "build": "tsc -b",
    "test": "vitest run"
  },
  "dependencies": {
    "hono": "4.6.3"
  }
}
`,
  'a test': `import { expect, it } from 'vitest'
import { parsePrice } from './parse-price'

it('reads a price with cents', () => {
  expect(parsePrice('12.50')).toEqual({ amount: 1250, currency: 'EUR' })
})
`,
  'a page of Markdown': `# Orders

Keeps what customers order, and tells the warehouse.

## Getting started

1. Install the packages with \`npm ci\`.
2. Start the service: \`npm start\`.

See [the guide](docs/guide.md) for more.
`,
}
