import { describe, expect, it } from 'vitest';
import type { RecentConvergence } from '@/lib/views/pushes/schema';
import { documentedCommands } from '../../support/documented-commands';
import { fetchApi, getJson, tokenHeaders } from '../../support/e2e-server';
import { api, story } from '../../support/shared-lab';

interface Request {
  readonly url: string;
  readonly init: RequestInit;
}

/** A request of the documents, as curl makes it. Options that no document uses are errors. */
function readCurl(words: readonly string[], bodies: Readonly<Record<string, string>>): Request {
  const headers = new Headers();
  let url = '';
  let body: string | undefined;
  for (let index = 1; index < words.length; index += 1) {
    const word = words[index] ?? '';
    if (!word.startsWith('-')) {
      url = word;
      continue;
    }
    index += 1;
    const value = words[index] ?? '';
    if (word === '-H') {
      const [, name = '', content = ''] = /^([^:]+):\s*(.*)$/.exec(value) ?? [];
      headers.set(name, content);
    } else if (word === '-d') body = value;
    else if (word === '--data-binary') body = bodies[value];
    else throw new Error(`curl option ${word}: expected -H, -d or --data-binary`);
  }
  const method = body === undefined ? 'GET' : 'POST';
  return { url, init: { method, headers, ...(body !== undefined && { body }) } };
}

async function firstOf(path: string, key: string, where: (item: Record<string, unknown>) => boolean) {
  const response = await fetchApi(`${story.server.url}/api/v1/${path}`);
  const { items } = (await response.json()) as { items: Record<string, unknown>[] };
  const found = items.find(where)?.[key];
  if (found === undefined)
    throw new Error(`${path}: expected an item with ${key}, got ${items.length} others`);
  return String(found);
}

describe('a request in README.md or docs', () => {
  it('is answered by the API', async () => {
    const clientId = await firstOf('clients', 'id', ({ nodeId }) => nodeId === 'shop-web');
    const seq = await firstOf('history', 'seq', () => true);
    const { items } = await getJson<RecentConvergence>(api('convergence/recent'));
    const version = items.find(({ subject }) => subject.service === 'EDS')?.subject.version ?? '';
    const bodies = {
      '@cluster.yaml': 'name: cart\ntype: EDS\neds_cluster_config: { eds_config: { ads: {} } }\n',
    };
    const commands = documentedCommands().filter(({ words }) => words[0] === 'curl');
    expect(commands.length).toBeGreaterThan(12);
    const failures: string[] = [];
    for (const { file, words } of commands) {
      const filled = words.map((word) =>
        word
          .replace('http://127.0.0.1:3000', story.server.url)
          .replace('Bearer TOKEN', tokenHeaders(story.server.url).authorization ?? '')
          .replace(/\bID\b/, clientId)
          .replace(/\bSEQ\b/, seq)
          .replace(/\bVERSION\b/, version),
      );
      const { url, init } = readCurl(filled, bodies);
      const response = await fetchApi(url, init);
      const text = await response.text();
      if (!response.ok)
        failures.push(`${file}: ${words.join(' ')}: ${response.status} ${text.slice(0, 200)}`);
    }
    expect(failures).toEqual([]);
  });
});
