import Database from 'libsql';
import { percentile } from './measure';

const rounds = 10;
/** The search ranks this many names at most. */
const ranked = 2_000;

export interface Fts5Figures {
  readonly buildMs: number;
  readonly fileMb: number;
  readonly searches: readonly (readonly [name: string, p50: number, p95: number, found: number])[];
}

const processorMs = (from: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(from);
  return (user + system) / 1_000;
};

/** The same names in a table of SQLite's FTS5 with trigrams, which cannot find words of less than three characters. */
export function measureFts5(names: readonly string[]): Fts5Figures {
  const database = new Database(':memory:');
  database.exec(`CREATE VIRTUAL TABLE names USING fts5(name, tokenize='trigram')`);
  const startedAt = process.cpuUsage();
  const insert = database.prepare('INSERT INTO names (name) VALUES (?)');
  for (let from = 0; from < names.length; from += 50_000) {
    database.exec('BEGIN');
    for (const name of names.slice(from, from + 50_000)) insert.run(name);
    database.exec('COMMIT');
  }
  const buildMs = processorMs(startedAt);
  const pages = database.prepare('PRAGMA page_count').get() as { page_count: number };
  const size = database.prepare('PRAGMA page_size').get() as { page_size: number };
  const matching = database.prepare(`SELECT name FROM names WHERE names MATCH ? LIMIT ${ranked}`);
  const containing = database.prepare(`SELECT name FROM names WHERE name LIKE ? LIMIT ${ranked}`);
  const questions: readonly (readonly [string, () => unknown[]])[] = [
    ['one name', () => matching.all('"svc-42-7"')],
    ['a part of many names', () => matching.all('"ns-77."')],
    ['a part of every name', () => matching.all('"svc"')],
    ['two words', () => matching.all('"svc-42" AND "ns-7."')],
    ['a letter of every name', () => containing.all('%s%')],
    ['two letters of no name', () => containing.all('%qz%')],
  ];
  const searches = questions.map(([name, ask]) => {
    const took: number[] = [];
    let found = 0;
    for (let round = 0; round < rounds; round++) {
      const from = process.cpuUsage();
      found = ask().length;
      took.push(processorMs(from));
    }
    return [name, percentile(took, 0.5), percentile(took, 0.95), found] as const;
  });
  database.close();
  return { buildMs, fileMb: (pages.page_count * size.page_size) / 1e6, searches };
}
