import { expect, it } from 'vitest';
import type { DeclaredSource, SourceDeclared } from '@/lib/observation/observation';
import { SourceDirectory } from '@/lib/observation/source-directory';
import { sampleReport } from '../../support/builders/observation-samples';

const istiod = { kind: 'istiod', target: 'cp:15012' } as const;

function declared(sourceId: string, source: DeclaredSource, at = 1): SourceDeclared {
  return { kind: 'source-declared', at, vantage: 'istiod', sourceId, source };
}

it('the newest declaration of a source counts, whatever its id', () => {
  const sources = new SourceDirectory();
  sources.fold(declared('csds:a:1', { kind: 'csds', target: 'a:1' }));
  sources.fold(declared('csds:a:1', istiod));
  expect(sources.find('csds:a:1')).toEqual(istiod);
  expect(sources.isDeclared('csds:a:1', { ...istiod })).toBe(true);
  expect(sources.isDeclared('csds:a:1', { ...istiod, fileId: 'f' })).toBe(false);
  expect(sources.find('istiod:cp:15012')).toBeUndefined();
});

it('the file of a source is the outermost file that holds its recording, or the source itself', () => {
  const sources = new SourceDirectory();
  sources.fold(declared('f', { kind: 'file', target: 'day.xdscope' }));
  sources.fold(declared('tap in f', { kind: 'tap', target: 'a=b', fileId: 'f' }));
  sources.fold(declared('dump in f', { kind: 'file', target: 'clients', fileId: 'f' }));
  sources.fold(declared('live', istiod));
  expect(['f', 'tap in f', 'dump in f', 'live'].map((id) => sources.findFile(id))).toEqual([
    'f',
    'f',
    'f',
    undefined,
  ]);
});

it('a restored directory equals the one that was stored', () => {
  const sources = new SourceDirectory();
  sources.fold(declared('a', istiod, 5));
  sources.fold(sampleReport({ sourceId: 'a', at: 70 }));
  expect([...sources.list()]).toEqual([{ sourceId: 'a', lastAt: 70, ...istiod }]);
  expect([...new SourceDirectory(sources.list()).list()]).toEqual([...sources.list()]);
});

it('sources that the log no longer mentions are forgotten', () => {
  const sources = new SourceDirectory();
  for (const id of ['old', 'reporting', 'kept']) sources.fold(declared(id, istiod, 5));
  sources.fold(sampleReport({ sourceId: 'reporting', at: 70 }));
  sources.dropBefore(70, (id) => id === 'kept');
  expect(Array.from(sources.list(), ({ sourceId }) => sourceId)).toEqual(['reporting', 'kept']);
});
