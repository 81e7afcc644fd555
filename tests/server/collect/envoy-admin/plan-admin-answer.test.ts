import { describe, expect, it } from 'vitest';
import { CodecError } from '@/server/codec/codec-error';
import { JsonView } from '@/server/codec/dump-parser/json-view';
import { planAdminAnswer } from '@/server/collect/envoy-admin/plan-admin-answer';

function namesOf(text: string): unknown[] {
  const names: unknown[] = [];
  planAdminAnswer('clusters', new JsonView(Buffer.from(text), 0), (statuses) => {
    for (const status of statuses) names.push(Reflect.get(Object(status), 'name'));
  });
  return names;
}

const cluster = (name: string, items: number): string =>
  `{"name":"${name}","host_statuses":[${Array(items).fill('{}').join(',')}]}`;
const answer = (...clusters: string[]): string => `{"cluster_statuses":[${clusters.join(',')}]}`;

describe('an answer of /clusters', () => {
  it('may have more members than a document, because each cluster is one', () => {
    const half = 500_000;
    expect(namesOf(answer(cluster('a', half), cluster('b', half)))).toEqual(['a', 'b']);
    expect(() => namesOf(answer(cluster('a', 2 * half)))).toThrow(
      /^expected at most 800000 members in a document, got 10000\d\d$/,
    );
  });

  it.each([
    ['no JSON', 'upstream connect error', 'expected JSON, got text that is not valid JSON'],
    ['a list', '[]', 'expected a JSON object'],
    ['another object', '{"configs":[]}', 'expected "clusterStatuses", got JSON without'],
    ['no list', '{"cluster_statuses":{}}', 'expected a list in "clusterStatuses", got something else'],
    [
      'half an answer',
      answer(cluster('a', 1)).slice(0, -3),
      'expected JSON, got text that is not valid JSON',
    ],
    ['a broken cluster', answer('{"name":}'), 'expected JSON, got text that is not valid JSON'],
  ])('is rejected if it is %s', (_, text, reason) => {
    expect(() => namesOf(text)).toThrow(new CodecError(reason));
  });

  it('is empty if Envoy has no clusters', () => {
    expect(namesOf('{}')).toEqual([]);
  });
});
