import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  buildOpenApi,
  commandOperations,
  type Operation,
  operations,
} from '@/server/answers/openapi/openapi';
import { questionOperations } from '@/server/answers/openapi/question-operations';
import { projectRoot } from '@/server/project-root';

const api = path.join(projectRoot, 'app/api/v1');

/** "get /clients/{id}" for every handler that a route file exports. */
function listHandlers(under = ''): string[] {
  return readdirSync(path.join(api, under), { withFileTypes: true }).flatMap((entry) => {
    const file = `${under}/${entry.name}`;
    // The questions and commands of lib/views, which have no route file each.
    if (entry.name === '[...path]') return [];
    if (entry.isDirectory()) return listHandlers(file);
    if (entry.name !== 'route.ts') return [];
    const source = readFileSync(path.join(api, file), 'utf8');
    const route = under.replaceAll('[', '{').replaceAll(']', '}');
    return [...source.matchAll(/export const (GET|POST|PUT|PATCH|DELETE)\b/g)].map(
      ([, method = '']) => `${method.toLowerCase()} ${route}`,
    );
  });
}

describe('buildOpenApi()', () => {
  it('documents every handler, and no other', () => {
    const nameOf = ({ method, path: route }: Operation) => `${method} ${route}`;
    const derived = new Set([...questionOperations, ...commandOperations]);
    const others = operations.filter((operation) => !derived.has(operation));
    expect(others.map(nameOf).sort()).toEqual(listHandlers().sort());
  });

  it('has no GET operation that changes state', () => {
    expect(
      operations.filter((operation) => operation.method === 'get' && operation.body !== undefined),
    ).toEqual([]);
  });

  it('states the forms of a resource: with its facts, or the resource itself in each format', () => {
    const document = buildOpenApi('1.2.3') as {
      paths: Record<string, { get: { responses: { 200: { content: Record<string, { schema: object }> } } } }>;
    };
    const { content } = document.paths['/resources/{hash}']?.get.responses[200] ?? { content: {} };
    expect(Object.keys(content).sort()).toEqual([
      'application/json',
      'application/x-protobuf',
      'application/yaml',
    ]);
    expect(content['application/json']?.schema).toMatchObject({
      anyOf: [{ required: expect.arrayContaining(['hash', 'text']) }, { additionalProperties: {} }],
    });
  });

  it('is OpenAPI 3.1 with a schema for each JSON answer', () => {
    const document = buildOpenApi('1.2.3') as {
      openapi: string;
      paths: Record<string, Record<string, { responses: unknown }>>;
    };
    expect(document.openapi).toBe('3.1.0');
    expect(JSON.stringify(document.paths['/clients/{id}/resources']?.get?.responses)).toContain(
      '"clientStatus"',
    );
    expect(JSON.parse(JSON.stringify(document))).toEqual(document);
  });
});
