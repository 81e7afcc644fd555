import { Agent, get } from 'node:http';

export const requestsAtOnce = 500;
/** Random choices are repeated until their shares are within the limit, or this often after they have settled. */
const mostRounds = 16;
/** Ejections and connections that are made late belong to rounds that are not counted. */
const settlingRounds = 4;
export const usualPoints = 3;

/** Per cent of all requests by port of the endpoint, or by how they failed. */
export type Shares = ReadonlyMap<string, number>;

/** Sends requests until their shares are those that are expected, or long enough. `send` counts the answers. */
export async function measureShares(
  send: () => Promise<Readonly<Record<string, number>>>,
  expected: Shares,
  points: number,
  settlingMs: number,
): Promise<{ readonly shares: Shares; readonly requests: number }> {
  let counts = new Map<string, number>();
  const settledAt = Date.now() + settlingMs;
  for (let round = 1; ; round++) {
    for (const [answer, count] of Object.entries(await send()))
      counts.set(answer, (counts.get(answer) ?? 0) + count);
    const requests = [...counts.values()].reduce((sum, count) => sum + count, 0);
    const shares = new Map([...counts].map(([key, count]) => [key, (100 * count) / requests]));
    if (differenceOf(expected, shares) <= points) return { shares, requests };
    if (round <= settlingRounds || Date.now() < settledAt) {
      counts = new Map();
      continue;
    }
    if (requests >= mostRounds * requestsAtOnce) return { shares, requests };
  }
}

/** The largest difference of a share, in points. */
export function differenceOf(expected: Shares, actual: Shares): number {
  const keys = [...new Set([...expected.keys(), ...actual.keys()])];
  return Math.max(...keys.map((key) => Math.abs((expected.get(key) ?? 0) - (actual.get(key) ?? 0))));
}

export function formatShares(shares: Shares): string {
  const used = [...shares].filter(([, share]) => share >= 0.05);
  const texts = used
    .sort()
    .map(([key, share]) => (/^\d+$/.test(key) ? share.toFixed(1) : `${key} ${share.toFixed(1)}`));
  return texts.join('/') || 'nothing';
}

export interface Answer {
  readonly status: number;
  readonly text: string;
}

const usualAgent = new Agent({ keepAlive: true, maxSockets: 4 });

interface RequestOptions {
  readonly agent?: Agent;
  readonly headers?: readonly (readonly [name: string, value: string])[];
  /** As in "?q=1". */
  readonly query?: string;
}

/** GET /name/ through a listener of Envoy. */
export function requestOnce(
  port: number,
  name: string,
  { agent = usualAgent, headers = [], query = '' }: RequestOptions = {},
): Promise<Answer> {
  const path = `/${name}/${query}`;
  const fields = [['host', '127.0.0.1'], ...headers].flat();
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, path, agent, headers: fields }, (response) => {
      let text = '';
      response.on('data', (part: Buffer) => {
        text += part.toString();
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
    }).on('error', reject);
  });
}

/** The counts of the answers, by the key of each. */
export async function sendHttp(
  port: number,
  name: string,
  keyOf: (answer: Answer) => string,
): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  let left = requestsAtOnce;
  const sendAll = async (): Promise<void> => {
    while (left-- > 0) {
      const answer = keyOf(await requestOnce(port, name));
      counts[answer] = (counts[answer] ?? 0) + 1;
    }
  };
  await Promise.all([sendAll(), sendAll(), sendAll(), sendAll()]);
  return counts;
}
