import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectRoot } from '@/server/project-root';
import { type Import, listSources, readImports } from '../support/project-imports';

const imports = readImports(['app', 'lib', 'server']);
const isIn = (name: string, folder: string): boolean => name === folder || name.startsWith(`${folder}/`);
const isOurs = (name: string): boolean =>
  ['app', 'lib', 'server', 'protos', 'tests'].some((f) => isIn(name, f));

const vantages = ['xds', 'csds', 'channelz', 'interop', 'envoy-admin', 'istiod', 'lrs', 'tap'].map(
  (kind) => `server/collect/${kind}`,
);

/**
 * A tap sees the messages that the probe and the load receiver speak: it reads them with the same pieces, which dial
 * nobody, hold no stream and know no clock.
 */
const tapMayImport: ReadonlySet<string> = new Set([
  'server/collect/lrs/decode-load-report',
  'server/collect/lrs/load-ledger',
  'server/collect/xds/response/decode-response',
  'server/collect/xds/response/read-entries',
  'server/collect/xds/client/resource-state',
  'server/collect/xds/response/response-envelope',
]);

/**
 * The folders of lib, each with those that it may import, which come before it. The domain (before `questions`)
 * knows no type of the HTTP API.
 */
const libFolders: Readonly<Record<string, readonly string[]>> = {
  collections: [],
  xds: ['collections'],
  cooperative: [],
  format: ['collections', 'xds'],
  time: ['collections', 'xds', 'format'],
  diff: ['collections', 'xds', 'format'],
  validate: ['collections', 'xds'],
  observation: ['collections', 'xds', 'format'],
  interop: ['xds', 'format', 'observation'],
  facts: ['xds', 'format', 'observation'],
  model: ['collections', 'xds', 'observation', 'facts'],
  twin: ['xds', 'diff', 'model'],
  requests: ['xds', 'model', 'validate'],
  resolve: ['collections', 'xds', 'format', 'observation', 'facts', 'model', 'requests', 'validate'],
  lb: ['collections', 'xds', 'format', 'diff', 'validate', 'observation', 'model', 'resolve'],
  explain: [
    'collections',
    'cooperative',
    'xds',
    'format',
    'validate',
    'observation',
    'model',
    'requests',
    'resolve',
    'lb',
  ],
  nacks: ['collections', 'xds', 'format', 'validate', 'observation', 'facts'],
  'known-bugs': ['collections', 'xds', 'observation', 'model', 'facts', 'resolve'],
  load: ['collections', 'xds', 'format', 'time', 'observation'],
  issues: ['collections', 'xds', 'format', 'observation', 'facts', 'nacks', 'load'],
  replay: ['collections', 'xds', 'observation'],
  sync: ['xds', 'observation'],
  convergence: ['collections', 'xds', 'format', 'observation'],
  churn: ['collections', 'xds', 'format', 'observation', 'convergence'],
  'control-planes': ['xds', 'observation'],
  fleet: [],
  'server-checks': ['format'],
  filter: ['collections', 'xds', 'format'],
  questions: [],
  views: [
    ...[
      'collections',
      'known-bugs',
      'xds',
      'cooperative',
      'format',
      'time',
      'diff',
      'validate',
      'observation',
      'interop',
      'facts',
      'model',
      'requests',
      'resolve',
      'lb',
      'explain',
    ],
    ...[
      'nacks',
      'load',
      'issues',
      'sync',
      'convergence',
      'churn',
      'fleet',
      'control-planes',
      'server-checks',
      'filter',
      'questions',
    ],
  ],
};

/** Each rule selects imports and forbids some of them. */
const rules: [string, (i: Import) => boolean, (i: Import) => boolean][] = [
  [
    'lib imports lib alone of our own',
    (i) => isIn(i.file, 'lib'),
    (i) => isOurs(i.target) && !isIn(i.target, 'lib'),
  ],
  [
    "lib's packages are d3's mathematics, zod for schemas, and RE2 and a parser of Lua where resources are validated",
    (i) => isIn(i.file, 'lib') && !isOurs(i.target),
    (i) =>
      !/^d3(?:-|$)/.test(i.target) &&
      i.target !== 'zod' &&
      !(['re2js', 'luaparse'].includes(i.target) && isIn(i.file, 'lib/validate')),
  ],
  [
    'nobody imports app or tests',
    (i) => !isIn(i.file, 'app'),
    (i) => isIn(i.target, 'app') || isIn(i.target, 'tests'),
  ],
  [
    'app enters the server by its one door (types of the API aside)',
    (i) => isIn(i.file, 'app') && isIn(i.target, 'server'),
    (i) =>
      !['server', 'server/index'].includes(i.target) && !(i.isTypeOnly && i.target === 'server/compose/api'),
  ],
  [
    'vantages know neither each other nor the recorder',
    (i) =>
      vantages.some((v) => isIn(i.file, v)) &&
      !(isIn(i.file, 'server/collect/tap') && tapMayImport.has(i.target)),
    (i) =>
      [...vantages, 'server/lab', 'server/store/recorder', 'server/live', 'server/sources'].some(
        (v) => isIn(i.target, v) && !isIn(i.file, v),
      ),
  ],
  [
    'the book of rejections reads the log, and knows no vantage',
    (i) => isIn(i.file, 'server/live/nacks'),
    (i) => vantages.some((v) => isIn(i.target, v)),
  ],
  [
    'protobufjs is spoken by the codec, and by the lab and the load receiver that speak for themselves',
    (i) => i.target === 'protobufjs' || i.target.startsWith('protobufjs/'),
    (i) => !['server/codec', 'server/lab'].some((f) => isIn(i.file, f)),
  ],
  [
    'Node, React and the DOM stay out of lib',
    (i) => isIn(i.file, 'lib'),
    (i) => i.target.startsWith('node:') || /^react/.test(i.target) || /^next/.test(i.target),
  ],
  [
    'pages decode no protobuf and dial nobody',
    (i) => isIn(i.file, 'app'),
    (i) => /^(?:protobufjs|@grpc\/)/.test(i.target),
  ],
];

describe('import directions', () => {
  it('sees the project', () => {
    expect(imports.length).toBeGreaterThan(200);
  });

  for (const [name, concerns, forbids] of rules) {
    it(name, () => {
      const broken = imports.filter((i) => concerns(i) && forbids(i));
      expect(broken.map((i) => `${i.file} -> ${i.target}`)).toEqual([]);
    });
  }

  it('between the folders of lib lead to earlier ones, as listed', () => {
    const folderOf = (name: string): string => /^lib\/([^/]+)\//.exec(name)?.[1] ?? '';
    const ofLib = imports.filter(({ file }) => isIn(file, 'lib'));
    const folders = Object.keys(libFolders);
    const used = ofLib.flatMap(({ file, target }) => [file, ...(isIn(target, 'lib') ? [target] : [])]);
    expect([...new Set(used.map(folderOf))].sort()).toEqual([...folders].sort());
    for (const [index, mayImport] of Object.values(libFolders).entries()) {
      expect(folders.slice(0, index)).toEqual(expect.arrayContaining([...mayImport]));
    }
    const broken = ofLib.filter(({ file, target }) => {
      const [from, to] = [folderOf(file), folderOf(target)];
      return isIn(target, 'lib') && from !== to && libFolders[from]?.includes(to) !== true;
    });
    expect(broken.map((i) => `${i.file} -> ${i.target}`)).toEqual([]);
  });

  it('dials in one place: nobody but server/transport/grpc makes a gRPC channel to a target', () => {
    const dialling = ['server', 'app', 'lib']
      .flatMap(listSources)
      .filter((file) => !isIn(file, 'server/transport/grpc') && !isIn(file, 'server/lab'))
      .filter((file) =>
        /new\s+(?:grpc\.)?Client\(|credentials\.createInsecure\(/.test(
          readFileSync(path.join(projectRoot, file), 'utf8'),
        ),
      );
    expect(dialling).toEqual([]);
  });
});
