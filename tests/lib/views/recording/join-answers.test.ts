import { expect, it } from 'vitest';
import { joinAnswers } from '@/lib/views/recording/join-answers';

it.each([
  [
    'answers of one Envoy',
    ['config_dump.json', 'clusters.json', 'certs'],
    [' = config_dump.json clusters.json certs'],
  ],
  [
    'other files',
    ['config_dump.json', 'notes.txt', 'mesh.xdscope'],
    ['config_dump.json', 'notes.txt', 'mesh.xdscope'],
  ],
  [
    'prefixes',
    ['edge-1.config_dump.json', 'edge-2.config_dump.json', 'edge-1.clusters.json'],
    ['edge-1 = edge-1.config_dump.json edge-1.clusters.json', 'edge-2.config_dump.json'],
  ],
  [
    'folders',
    ['a/config_dump', 'b/config_dump', 'a/clusters'],
    ['a = a/config_dump a/clusters', 'b/config_dump'],
  ],
])('joins %s', (_title, paths, expected) => {
  const groups = joinAnswers(paths, (path) => path);
  expect(
    groups.map(({ name, files }) => `${name === undefined ? '' : `${name} = `}${files.join(' ')}`),
  ).toEqual(expected);
});
