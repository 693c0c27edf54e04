const element = (tag, attributes = {}, ...children) => {
  const made = Object.assign(document.createElement(tag), attributes)
  made.append(...children)
  return made
}

const specification = await fetch('/openapi.json').then((response) => response.json())
document.querySelector('#about').textContent = specification.info.description
const operations = document.querySelector('#operations')
operations.replaceChildren()
for (const [path, methods] of Object.entries(specification.paths)) {
  for (const [method, operation] of Object.entries(methods))
    operations.append(showOperation({ path, method, operation }))
}

function showOperation({ path, method, operation }) {
  const answers = Object.entries(operation.responses).map(([status, { description }]) =>
    element('li', {}, element('code', { textContent: status }), ` ${description}`),
  )
  const fields = (operation.parameters ?? []).map(showField)
  const body = operation.requestBody && bodyField(operation.requestBody)
  const output = element('pre', { hidden: true })
  const button = element('button', { type: 'submit', textContent: 'Try it' })
  const form = element(
    'form',
    {},
    ...fields.map(({ label }) => label),
    ...(body?.labels ?? []),
    button,
    output,
  )
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    output.hidden = false
    output.textContent = '…'
    output.textContent = await send({ path, method, fields, body }).catch((error) => String(error))
  })
  return element(
    'details',
    {},
    element(
      'summary',
      {},
      element('span', { className: `method ${method}`, textContent: method.toUpperCase() }),
      element('code', { textContent: path }),
      element('span', { textContent: operation.summary }),
    ),
    element(
      'div',
      {},
      element('p', { textContent: operation.description ?? '' }),
      element('ul', {}, ...answers),
      form,
    ),
  )
}

function showField({ name, in: place, description, schema, example }) {
  const input = schema.enum
    ? element(
        'select',
        {},
        element('option', { value: '', textContent: '' }),
        ...schema.enum.map((value) => element('option', { value, textContent: value })),
      )
    : element('input', { value: example ?? '', placeholder: schema.default ?? '' })
  return {
    name,
    place,
    input,
    label: element('label', {}, element('code', { textContent: name }), ` (${place}) ${description}`, input),
  }
}

function bodyField({ content }) {
  const type = element(
    'select',
    {},
    ...Object.keys(content).map((value) => element('option', { value, textContent: value })),
  )
  const text = element('textarea')
  return {
    type,
    text,
    labels: [element('label', {}, 'Content-Type', type), element('label', {}, 'Body', text)],
  }
}

async function send({ path, method, fields, body }) {
  const filled = fields.filter(({ input }) => input.value !== '')
  const headers = new Headers(
    filled.filter(({ place }) => place === 'header').map(({ name, input }) => [name, input.value]),
  )
  const key = document.querySelector('#key').value
  if (key) headers.set('Authorization', `Bearer ${key}`)
  if (body) headers.set('Content-Type', body.type.value)
  const place = path.replaceAll(/\{(\w+)\}/g, (_, name) =>
    encodeURIComponent(fields.find((field) => field.name === name)?.input.value ?? ''),
  )
  const query = new URLSearchParams(
    filled.filter((field) => field.place === 'query').map(({ name, input }) => [name, input.value]),
  )
  const url = query.size > 0 ? `${place}?${query}` : place
  const response = await fetch(url, {
    method: method.toUpperCase(),
    headers,
    body: body?.text.value,
    cache: 'no-store',
  })
  const lines = [...response.headers].map(([name, value]) => `${name}: ${value}`)
  const text = await response.text()
  return [
    `${response.status} ${response.statusText}${response.redirected ? ` from ${response.url}` : ''}`,
    ...lines,
    '',
    pretty(text),
  ].join('\n')
}

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
