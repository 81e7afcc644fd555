import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { createRedactionMarker } from '@/server/codec/redaction-marker';
import { planReport } from '@/server/codec/report/plan-report';
import { readReport } from '@/server/codec/report/read-report';
import { corpusDir, hasCorpus, readCorpus } from '@/tests/support/codec-corpus';

const marker = createRedactionMarker(Buffer.from('tests'));

/** Files of the corpus that hold nothing of xDS: Kubernetes objects, requests, a certificate, a table, an empty list. */
const withoutResources = [
  /^consul-2022-MPL\/agent__xds__testdata__cache-test-leaf-cert\.golden$/,
  /^emissary\/.*_in\.yaml$/,
  /^envoy-gateway\/.*translate__out__(?:backend-endpoint|invalid-envoyproxy|quickstart|valid-envoyproxy)\.all\.yaml$/,
  /^envoy-gateway\/.*(?:custom-backend-error\.secrets|missing-resource\.envoypatchpolicies)\.yaml$/,
  /^envoy-tools\/.*test_request.*\.yaml$/,
  /^kuma\/.*passthrough__plugin__xds__testdata__ordered\.golden\.yaml$/,
];

interface Imported {
  readonly file: string;
  readonly what: string;
  readonly clients: number;
  readonly rows: number;
  readonly bodies: number;
  readonly problems: readonly string[];
}

function importFile(folder: string, file: string): Imported {
  return importBytes(file, readFileSync(path.join(corpusDir, folder, file)));
}

function importBytes(file: string, bytes: Uint8Array): Imported {
  const plan = planReport(bytes);
  const batches = plan.reports.flatMap((report) => [...readReport(report, marker)]);
  const problems = [...plan.problems, ...batches.flatMap((batch) => batch.problems)];
  return {
    file,
    what: `${plan.format} ${plan.kinds.join(', ')}`,
    clients: plan.reports.length,
    rows: batches.reduce((sum, { rows }) => sum + rows.length, 0),
    bodies: batches.reduce((sum, { bodies }) => sum + bodies.length, 0),
    problems: problems.map(({ place, reason }) => `${place}: ${reason}`),
  };
}

describe.skipIf(!hasCorpus)('import of real files (skipped without ../shared/corpus)', () => {
  const root = path.join(corpusDir, 'real');
  const files = hasCorpus
    ? readdirSync(root).flatMap((source) =>
        readdirSync(path.join(root, source))
          .filter((name) => name !== 'ORIGIN.txt' && !name.endsWith('.md'))
          .map((name) => `${source}/${name}`),
      )
    : [];

  it('shows all that is xDS in them, and says of the others that it is none', () => {
    const imported = files.map((file) => importFile('real', file));
    const lines = imported.map(
      ({ file, what, clients, rows, bodies, problems }) =>
        `${file}: ${what}; ${clients} clients, ${rows} rows, ${bodies} bodies, ${problems.length} problems`,
    );
    const sum = (count: (each: Imported) => number) => imported.reduce((all, each) => all + count(each), 0);
    const told = imported.filter(({ clients }) => clients > 0);
    process.stdout.write(
      `${lines.join('\n')}\n${told.length} of ${files.length} files, ${sum(({ clients }) => clients)} clients, ${sum(({ rows }) => rows)} rows, ${sum(({ bodies }) => bodies)} bodies, ${sum(({ problems }) => problems.length)} problems\n`,
    );
    expect(files.length).toBeGreaterThan(190);
    const silent = imported.filter(({ clients, problems }) => clients === 0 && problems.length === 0);
    expect(silent).toEqual([]);
    const none = imported.filter(({ clients }) => clients === 0).map(({ file }) => file);
    expect(none.filter((file) => !withoutResources.some((known) => known.test(file)))).toEqual([]);
    expect(sum(({ rows }) => rows)).toBeGreaterThan(440);
  });

  it('reads dumps of Envoy whole: every kind of resource, the node, no problem', () => {
    const whole = [
      'istio/istioctl__pkg__proxyconfig__testdata__config_dump.json',
      'kuma/pkg__envoy__admin__testdata__full_config.json',
      'envoy-gateway/internal__cmd__egctl__testdata__config__in__in.all.json',
      'grpcdebug/internal__testing__testserver__csds_config_dump.json',
    ].map((file) => importFile('real', file));
    expect(whole.map(({ clients, rows, problems }) => ({ clients, rows, problems }))).toEqual([
      { clients: 1, rows: 11, problems: [] },
      { clients: 1, rows: 9, problems: [] },
      { clients: 1, rows: 8, problems: [] },
      { clients: 1, rows: 4, problems: [] },
    ]);
  });

  it('reads what "istioctl proxy-config all" prints: the config dump as it is (-o json), or the same as YAML', () => {
    const file = 'istio/istioctl__pkg__proxyconfig__testdata__config_dump.json';
    const json = importFile('real', file);
    const text = stringify(JSON.parse(readFileSync(path.join(root, file), 'utf8')));
    const yaml = importBytes(file, Buffer.from(text));
    // Above 8 MiB it is read block by block.
    const blocks = importBytes(file, Buffer.from(`${'# filler\n'.repeat(1_000_000)}${text}`));
    expect(json.what).toBe('json Envoy config dump, bootstrap');
    expect([yaml, blocks]).toEqual(Array(2).fill({ ...json, what: 'yaml Envoy config dump, bootstrap' }));
  });

  it('reads what clients and management servers sent as protobuf', () => {
    const answers = ['js', 'py151', 'go164'].map((client) =>
      importFile('captures', `${client}/csds-2-nacked.bin`),
    );
    for (const { what, clients, rows, problems } of answers) {
      expect({ what, clients, problems }).toEqual({ what: 'protobuf CSDS answer', clients: 1, problems: [] });
      expect(rows).toBeGreaterThan(6);
    }
    expect(importFile('captures', 'go-control-plane/sotw-001.bin')).toMatchObject({
      what: 'protobuf DiscoveryResponse',
      clients: 1,
      problems: [],
    });
  });

  it('gives each resource of a delta response the version that it came with, in protobuf and JSON alike', () => {
    const versionsIn = (file: string): Record<string, string> => {
      const plan = planReport(readCorpus('captures', 'go-control-plane', file));
      const rows = plan.reports.flatMap((report) =>
        [...readReport(report, marker)].flatMap((each) => each.rows),
      );
      return Object.fromEntries(rows.map(({ name, versionInfo }) => [name, versionInfo]));
    };
    const versions = versionsIn('delta-001.bin');
    expect(versions['cluster-v3-3']).toBe('e0717f9d24446d0e1612df675a90bc800ec19982b0c9206c7279d68340719425');
    expect(versions['cluster-v3-0']).toBe('74c99a4d95c3591b801c883298c302837b5fca4e7d95eacb0d1a8c9f903b5066');
    expect(versions).toEqual(versionsIn('delta-001.protojson.json'));
  });
});
