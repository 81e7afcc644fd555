import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { KeptList } from '@/server/store/kept-list';
import { KeptValue } from '@/server/store/kept-value';
import type { StoreDatabase } from '@/server/store/schema';
import { StateStore } from '@/server/store/state';
import { bytesOfText } from '@/server/store/text-bytes';
import { describeEngines } from './engines';

const count = z.object({ n: z.number() });
const entry = { key: 'count', schema: count, initial: { n: 0 } };

describeEngines('the state', ({ open, openAgain }) => {
  const reported: string[] = [];
  const storeOf = (database: StoreDatabase) =>
    new StateStore({ database, onDamage: (message) => reported.push(message) });

  /** Writes bytes that no program of xdscope writes. */
  async function damage({ db }: StoreDatabase, key: string, json: Uint8Array): Promise<void> {
    await db.updateTable('state').set({ json }).where('key', '=', bytesOfText(key)).execute();
  }

  it('has what was put, with a version that each change increments', async () => {
    const state = storeOf(await open());
    expect(await state.get('a', count)).toBeUndefined();
    expect(await state.put('a', { n: 1 }, 0)).toEqual({ ok: true });
    expect(await state.put('a', { n: 2 })).toEqual({ ok: true });
    expect(await storeOf(await openAgain()).get('a', count)).toEqual({ value: { n: 2 }, version: 2 });
    await state.put('a', undefined, 2);
    expect(await state.get('a', count)).toBeUndefined();
  });

  it('returns a conflict as data, and writes none of the changes', async () => {
    const state = storeOf(await open());
    await state.put('a', { n: 1 }, 0);
    const conflict = { ok: false, conflict: { key: 'a', version: 1 } };
    expect(await state.put('a', { n: 2 }, 0)).toEqual(conflict);
    const changes = [
      { key: 'b', value: { n: 1 } },
      { key: 'a', value: { n: 2 }, expectedVersion: 7 },
    ];
    expect(await state.write(changes)).toEqual(conflict);
    expect(await state.put('c', { n: 1 }, 3)).toEqual({ ok: false, conflict: { key: 'c', version: 0 } });
    expect(await state.list('', count)).toEqual([{ key: 'a', value: { n: 1 }, version: 1 }]);
  });

  it('reads what another process has set, and only then', async () => {
    const state = storeOf(await open());
    const [a, b] = [await KeptValue.open(state, entry), await KeptValue.open(state, entry)];
    expect(await b.refresh()).toBe(false);
    await a.change(() => ({ n: 5 }));
    expect([await b.refresh(), b.value]).toEqual([true, { n: 5 }]);
    expect(await b.refresh()).toBe(false);
    await b.change(({ n }) => ({ n: n + 1 }));
    expect([await a.refresh(), a.value]).toEqual([true, { n: 6 }]);
    await state.put('count', undefined);
    expect([await a.refresh(), a.value]).toEqual([true, { n: 0 }]);
  });

  it('lists the values below a prefix, in the order of their keys', async () => {
    const state = storeOf(await open());
    for (const [n, key] of ['runs/b', 'run', 'runs/a', 'runs/é', 'runs0', 'runs'].entries())
      await state.put(key, { n });
    expect((await state.list('runs/', count)).map(({ key, value }) => [key, value.n])).toEqual([
      ['a', 2],
      ['b', 0],
      ['é', 3],
    ]);
  });

  it.each([
    ['no JSON', bytesOfText('{"n":'), 'JSON'],
    ['a text that is not UTF-8', Buffer.from([0x22, 0xff, 0x22]), 'UTF-8'],
    ['another type', bytesOfText('{"n":"1"}'), 'expected number, received string'],
  ])('reports and sets aside %s, and loses nothing else', async (_, json, reason) => {
    const database = await open();
    const state = storeOf(database);
    for (const key of ['runs/a', 'runs/b']) await state.put(key, { n: 1 });
    reported.length = 0;
    for (const aside of ['damaged/runs/a', 'damaged/runs/a/2']) {
      await damage(database, 'runs/a', json);
      expect((await state.list('runs/', count)).map(({ key }) => key)).toEqual(['b']);
      expect(reported).toEqual([expect.stringContaining(`is now "${aside}"; it begins anew`)]);
      expect(reported.pop()).toContain(reason);
      // The bytes are still there.
      const row = await database.db
        .selectFrom('state')
        .select('json')
        .where('key', '=', bytesOfText(aside))
        .executeTakeFirst();
      expect(row && Buffer.from(row.json).equals(json)).toBe(true);
      expect(await state.get('runs/a', count)).toBeUndefined();
      await state.put('runs/a', { n: 2 }, 0);
    }
  });

  it('leaves a damaged value where it is if that is required', async () => {
    const database = await open();
    const assertMayBeSetAside = (key: string, reason: string): void => {
      throw new Error(`${key}: ${reason}`);
    };
    const state = new StateStore({ database, onDamage: () => undefined, assertMayBeSetAside });
    await state.put('a', { n: 1 });
    await damage(database, 'a', bytesOfText('{}'));
    await expect(state.get('a', count)).rejects.toThrow('a: ');
    await expect(state.get('a', count)).rejects.toThrow('a: ');
  });

  it('sets values and those below them aside', async () => {
    const state = storeOf(await open());
    for (const key of ['list', 'list/000000', 'lists', 'other']) await state.put(key, { n: 1 });
    await state.setAside(['list', 'absent']);
    expect((await state.list('', count)).map(({ key }) => key)).toEqual([
      ...['damaged/list', 'damaged/list/000000', 'lists', 'other'],
    ]);
  });

  it('rejects a key that is empty or too long', async () => {
    const state = storeOf(await open());
    await expect(state.put('', 1)).rejects.toThrow('expected a key of 1 to 1000 bytes, got 0');
    await expect(state.put('é'.repeat(501), 1)).rejects.toThrow('got 1002');
  });

  it('writes nothing where it would be lost', async () => {
    const database = await open();
    const assertWritable = (): void => {
      throw new Error('the directory was moved');
    };
    await expect(
      new StateStore({ database, onDamage: () => undefined, assertWritable }).put('a', 1),
    ).rejects.toThrow('the directory was moved');
    expect(await storeOf(database).list('', z.unknown())).toEqual([]);
  });

  it('stores what was put before it is closed', async () => {
    // The test closes the database itself.
    const state = storeOf({ ...(await open()), close: () => Promise.resolve() });
    const puts = [1, 2, 3].map((n) => state.put('a', { n }));
    await Promise.all([...puts, state.close()]);
    expect(await storeOf(await openAgain()).get('a', count)).toEqual({ value: { n: 3 }, version: 3 });
  });

  describe('a kept value', () => {
    it('has its initial value, and each change once it is stored', async () => {
      const state = storeOf(await open());
      const kept = await KeptValue.open(state, entry);
      expect(kept.value).toEqual({ n: 0 });
      await Promise.all(Array.from({ length: 20 }, () => kept.change(({ n }) => ({ n: n + 1 }))));
      expect(kept.value).toEqual({ n: 20 });
      expect((await KeptValue.open(state, entry)).value).toEqual({ n: 20 });
    });

    it('is what it was when a change cannot be stored', async () => {
      const database = await open();
      let isGone = false;
      const assertWritable = (): void => {
        if (isGone) throw new Error('the directory was moved');
      };
      const state = new StateStore({ database, onDamage: () => undefined, assertWritable });
      const kept = await KeptValue.open(state, entry);
      await kept.change(() => ({ n: 1 }));
      isGone = true;
      await expect(kept.change(() => ({ n: 2 }))).rejects.toThrow('the directory was moved');
      expect(kept.value).toEqual({ n: 1 });
    });

    it('applies a change to what another process stored in between', async () => {
      const one = await KeptValue.open(storeOf(await open()), entry);
      const other = await KeptValue.open(storeOf(await openAgain()), entry);
      for (let turn = 0; turn < 5; turn++) {
        await one.change(({ n }) => ({ n: n + 1 }));
        await other.change(({ n }) => ({ n: n + 10 }));
      }
      expect(other.value).toEqual({ n: 55 });
    });
  });

  describe('a kept list', () => {
    const listEntry = { key: 'list', head: z.object({ of: z.string() }), line: z.number() };
    const numbers = (length: number) => Array.from({ length }, (_, index) => index);

    it('is replaced as a whole, and shrinks', async () => {
      const state = storeOf(await open());
      const list = new KeptList(state, listEntry);
      expect(await list.read()).toBeUndefined();
      for (const length of [1_001, 250, 0, 3]) {
        await list.write({ of: `${length}` }, numbers(length));
        const read = { head: { of: `${length}` }, lines: numbers(length) };
        expect(await new KeptList(state, listEntry).read()).toEqual(read);
      }
      await list.write({ of: 'x' }, numbers(600));
      const again = new KeptList(state, listEntry);
      await again.read();
      await again.write({ of: 'y' }, numbers(1));
      expect((await state.list('list/', z.unknown())).length).toBe(1);
    });

    it('loses only the lines of a damaged row', async () => {
      const database = await open();
      const state = storeOf(database);
      const list = new KeptList(state, listEntry);
      await list.write({ of: 'x' }, numbers(600));
      await damage(database, 'list/000001', bytesOfText('[1'));
      expect((await list.read())?.lines).toEqual(numbers(600).filter((n) => n < 250 || n >= 500));
    });
  });
});
