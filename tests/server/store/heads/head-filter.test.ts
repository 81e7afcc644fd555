import {
  DummyDriver,
  Kysely,
  type RawBuilder,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { expect, it } from 'vitest';
import { parseFleetFilter } from '@/lib/views/fleet/fleet-filter';
import { CDS, EDS } from '@/lib/xds/resource-type';
import { conditionOf } from '@/server/store/heads/head-filter';

const db = new Kysely({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (database) => new SqliteIntrospector(database),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
});
const compiled = (q: string): string | undefined =>
  (
    conditionOf('sqlite', parseFleetFilter(q), [CDS.typeUrl, EDS.typeUrl]) as RawBuilder<boolean> | undefined
  )?.compile(db).sql;

it('has no condition for a filter that all clients match, so that none is read', () => {
  expect([compiled(''), compiled('nothing=valid')]).toEqual([undefined, undefined]);
});

it('names each type that a part of a type matches, and none that no client has', () => {
  expect(compiled('type=RDS')).toBe('(1 = 0)');
  expect(compiled('type=CDS')?.split('instr(case').length).toBe(2);
  expect(compiled('type~ds')?.split('instr(case').length).toBe(3);
});
