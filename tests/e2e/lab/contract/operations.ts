import { expect } from 'vitest';
import type { z } from 'zod';
import { type ClientSummary, clientsPage } from '@/lib/views/client/schema';
import { problemDetails } from '@/lib/views/fields/problem';
import { type Operation, operations } from '@/server/answers/openapi/openapi';
import { fetchApi } from '../../../support/e2e-server';
import { story } from '../../../support/shared-lab';
import { waitUntil } from '../../../support/wait-until';

/** Operations that were called: "get /health". */
export const called = new Set<string>();

export interface Ask {
  /** The values have the order of the `{parameters}` of the path. */
  readonly parameters?: readonly string[];
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Instead of `body`. */
  readonly bytes?: Uint8Array;
}

function find(name: string): Operation {
  const found = operations.find(({ method, path: route }) => `${method} ${route}` === name);
  if (found === undefined) throw new Error(`${name} is not in the OpenAPI document`);
  return found;
}

export function send(
  name: string,
  { parameters = [], query = {}, body, bytes }: Ask = {},
): Promise<Response> {
  const { method, path: route } = find(name);
  const left = [...parameters];
  const filled = route.replace(/\{\w+\}/g, () => encodeURIComponent(left.shift() ?? ''));
  const asBytes = { 'content-type': 'application/octet-stream' };
  const asJson = { 'content-type': 'application/json' };
  const init: RequestInit =
    bytes !== undefined
      ? { body: new Uint8Array(bytes), headers: asBytes }
      : body === undefined
        ? {}
        : { body: JSON.stringify(body), headers: asJson };
  const search = new URLSearchParams(query);
  return fetchApi(`${story.server.url}/api/v1${filled}?${search}`, { method: method.toUpperCase(), ...init });
}

/** Calls an operation, and asserts that its answer has the schema of the document and no other fields. */
export async function call<T extends z.ZodType>(name: string, type: T, ask: Ask = {}): Promise<z.infer<T>> {
  const operation = find(name);
  const response = await send(name, ask);
  const json: unknown = await response.json();
  expect(response.status, JSON.stringify(json).slice(0, 300)).toBe(operation.status ?? 200);
  expect(response.headers.get('content-type')).toContain('application/json');
  called.add(name);
  const parsed = type.parse(json);
  // zod drops fields that the schema does not contain.
  expect(parsed).toEqual(json);
  return parsed;
}

export async function problem(name: string, status: number, ask: Ask = {}): Promise<string> {
  const response = await send(name, ask);
  expect(response.headers.get('content-type')).toBe('application/problem+json');
  const { status: reported, detail } = problemDetails.parse(await response.json());
  expect([response.status, reported]).toEqual([status, status]);
  return detail;
}

export async function findWeb(): Promise<ClientSummary> {
  return waitUntil('shop-web is there with resources', async () => {
    const { items } = await call('get /clients', clientsPage);
    return items.find(({ nodeId, resources }) => nodeId === 'shop-web' && resources > 4);
  });
}
