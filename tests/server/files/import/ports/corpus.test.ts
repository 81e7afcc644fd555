import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments, stringify } from 'yaml';
import { planReport } from '@/server/codec/dump-parser/plan-report';
import { readReport } from '@/server/codec/dump-parser/read-report';
import { createRedactionMarker } from '@/server/codec/redaction-marker';
import { capturesDir, corpusDir, hasCorpus, readCapture } from '@/tests/support/builders/codec-corpus';

const types =
  /\.(Listener|RouteConfiguration|ScopedRouteConfiguration|Cluster|ClusterLoadAssignment|Secret|Runtime|TypedExtensionConfig)$/;
const staticTypes = { clusters: 'Cluster', listeners: 'Listener', secrets: 'Secret' } as const;

/**
 * Every resource that a JSON or YAML text names, as "Cluster orders" ("* orders" where its type is not reported), found without the product's code: what has an
 * "@type" of a resource, at any depth but within another resource, what a bootstrap holds, and the elements of a list alone.
 */
function namedResources(text: string): string[] {
  const found: string[] = [];
  for (const document of parseAllDocuments(text)) {
    if (!('toJS' in document)) continue;
    const json: unknown = document.toJS();
    walk(json, found);
    if (Array.isArray(json)) found.push(...json.flatMap(nameOfBare));
  }
  return [...new Set(found)];
}

/** An element of a list of resources that are identified only by their fields. */
function nameOfBare(item: unknown): string[] {
  if (typeof item !== 'object' || item === null || '@type' in item) return [];
  const { name, cluster_name: snake, clusterName = snake }: Record<string, unknown> = { ...item };
  return typeof (name ?? clusterName) === 'string' ? [`* ${name ?? clusterName}`] : [];
}

function walk(value: unknown, found: string[]): void {
  if (Array.isArray(value)) for (const item of value) walk(item, found);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
  const held = value as Readonly<Record<string, unknown>>;
  const { '@type': typeUrl = '', cluster_name: snake = '', clusterName = snake, name = clusterName } = held;
  const type = types.exec(String(typeUrl))?.[1];
  if (type !== undefined) {
    found.push(`${type} ${name}`);
    return;
  }
  for (const [key, inner] of Object.entries(held)) {
    const isStatic = key === 'static_resources' || key === 'staticResources';
    if (isStatic && typeof inner === 'object' && inner !== null) walkStatic(inner, found);
    else walk(inner, found);
  }
}

function walkStatic(resources: object, found: string[]): void {
  for (const [kind, type] of Object.entries(staticTypes)) {
    const list: unknown = Reflect.get(resources, kind);
    if (!Array.isArray(list)) continue;
    for (const item of list) found.push(`${type} ${Reflect.get(item, 'name')}`);
  }
}

const marker = createRedactionMarker(Buffer.from('tests'));

const none = 'expected a document with xDS resources in it, got';
const noText = 'expected JSON, YAML, protobuf text or protobuf';
const ofKubernetes = 'an object of Kubernetes: what its control plane makes of it is xDS';
const kubernetes = `${none} ${ofKubernetes}`;
const request = `: ${none} a CSDS request: only the answer to it has resources`;
const documents = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `documents[${index}]: ${kubernetes}`);
const gateway = 'envoy-gateway/internal__';
const translated = `${gateway}cmd__egctl__testdata__translate__out__`;
const emissary = 'emissary/python__tests__src__tests__unit__testdata__listeners__';

/** Files of the corpus without xDS content, with their reviewed reasons. */
const rejections: Readonly<Record<string, readonly string[]>> = {
  'consul-2022-MPL/agent__xds__testdata__cache-test-leaf-cert.golden': [
    `: ${noText}, got PEM, as of a certificate or a key`,
  ],
  [`${emissary}host_missing_tls_in.yaml`]: documents(4),
  [`${emissary}no_host_in.yaml`]: documents(3),
  [`${emissary}prefix_wildcard_and_hostname_with_port_in.yaml`]: documents(9),
  [`${translated}backend-endpoint.all.yaml`]: [
    `: ${none} an object with backendTLSPolicies, backends, envoyExtensionPolicies, gatewayClass and 2 more, which contains ${ofKubernetes}`,
  ],
  [`${translated}invalid-envoyproxy.all.yaml`]: [
    `: ${none} an object with envoyProxyForGatewayClass, gatewayClass, gateways, which contains ${ofKubernetes}`,
  ],
  [`${translated}quickstart.all.yaml`]: [
    `: ${none} an object with gatewayClass, gateways, httpRoutes, infraIR and 1 more, which contains ${ofKubernetes}`,
  ],
  [`${translated}valid-envoyproxy.all.yaml`]: [
    `: ${none} an object with envoyProxyForGatewayClass, gatewayClass, gateways, grpcRoutes and 4 more, which contains ${ofKubernetes}`,
  ],
  [`${gateway}xds__translator__testdata__out__extension-xds-ir__http-route-custom-backend-error.secrets.yaml`]:
    [`: ${none} an empty list`],
  [`${gateway}xds__translator__testdata__out__xds-ir__jsonpatch-missing-resource.envoypatchpolicies.yaml`]: [
    `[0]: ${none} an object with generation, name, namespace, status`,
  ],
  'envoy-tools/csds-client__client__v2__test_request.yaml': [request],
  'envoy-tools/csds-client__client__v2__test_request_mesh_scope.yaml': [request],
  'envoy-tools/csds-client__client__v2__test_request_mesh_scope_network.yaml': [request],
  'envoy-tools/csds-client__client__v3__test_request.yaml': [request],
  'envoy-tools/csds-client__client__v3__test_request_mesh_scope.yaml': [request],
  'envoy-tools/csds-client__client__v3__test_request_mesh_scope_network.yaml': [request],
  'kuma/pkg__plugins__policies__meshpassthrough__plugin__xds__testdata__ordered.golden.yaml': [
    `: ${none} a list of 89, each of them an object with MatchType, Port, Protocol, Routes and 1 more`,
  ],
  // Notes of the corpus itself.
  'consul-2022-MPL/ORIGIN.txt': [`: ${noText}; as YAML it is no YAML: it stops at line 4, column 7`],
  'nack-strings/envoy-nack-shapes.md': [`: ${noText}; as YAML it is no YAML: it stops at line 2, column 50`],
  ...Object.fromEntries(
    ['emissary', 'envoy-gateway', 'envoy-tools', 'grpcdebug', 'istio', 'kuma'].map((source) => [
      `${source}/ORIGIN.txt`,
      [`: ${none} an object with repository, commit, licence, note`],
    ]),
  ),
};

interface Imported {
  readonly file: string;
  readonly what: string;
  readonly clients: number;
  readonly rows: number;
  /** Last word of the type, and name. */
  readonly keys: readonly string[];
  readonly bodies: number;
  readonly problems: readonly string[];
}

const realDir = path.join(corpusDir, 'real');

function importFile(dir: string, file: string): Imported {
  return importBytes(file, readFileSync(path.join(dir, file)));
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
    keys: batches.flatMap((batch) =>
      batch.rows.map(({ typeUrl, name }) => `${typeUrl.split('.').at(-1)} ${name}`),
    ),
    bodies: batches.reduce((sum, { bodies }) => sum + bodies.length, 0),
    problems: problems.map(({ place, reason }) => `${place}: ${reason}`),
  };
}

describe.skipIf(!hasCorpus)('import of real files (skipped without ../shared/corpus)', () => {
  const files = hasCorpus
    ? readdirSync(realDir).flatMap((source) =>
        readdirSync(path.join(realDir, source)).map((name) => `${source}/${name}`),
      )
    : [];

  it('shows all xDS content, and rejects files without any', () => {
    const imported = files.map((file) => importFile(realDir, file));
    const lines = imported.map(
      ({ file, what, clients, rows, bodies, problems }) =>
        `${file}: ${what}; ${clients} clients, ${rows} rows, ${bodies} bodies, ${problems.length} problems`,
    );
    const sum = (count: (each: Imported) => number) => imported.reduce((all, each) => all + count(each), 0);
    const reported = imported.filter(({ clients }) => clients > 0);
    process.stdout.write(
      `${lines.join('\n')}\n${reported.length} of ${files.length} files, ${sum(({ clients }) => clients)} clients, ${sum(({ rows }) => rows)} rows, ${sum(({ bodies }) => bodies)} bodies, ${sum(({ problems }) => problems.length)} problems\n`,
    );
    expect(files.length).toBe(202);
    const rejected = imported.filter(({ clients }) => clients === 0);
    expect(Object.fromEntries(rejected.map(({ file, problems }) => [file, problems]))).toEqual(rejections);
    expect(sum(({ rows }) => rows)).toBeGreaterThan(440);
  });

  it('shows each resource that they name as a row', () => {
    let resources = 0;
    for (const file of files.filter((each) => rejections[each] === undefined)) {
      const { keys } = importFile(realDir, file);
      const shown = new Set(keys.flatMap((key) => [key, key.replace(/^\S+/, '*')]));
      const there = namedResources(readFileSync(path.join(realDir, file), 'utf8'));
      resources += there.length;
      const missing = there.filter((key) => !shown.has(key));
      expect({ file, missing }).toEqual({ file, missing: [] });
    }
    expect(resources).toBe(395);
  });

  it('reads dumps of Envoy without a problem', () => {
    const whole = [
      'istio/istioctl__pkg__proxyconfig__testdata__config_dump.json',
      'kuma/pkg__envoy__admin__testdata__full_config.json',
      'envoy-gateway/internal__cmd__egctl__testdata__config__in__in.all.json',
      'grpcdebug/internal__testing__testserver__csds_config_dump.json',
    ].map((file) => importFile(realDir, file));
    expect(whole.map(({ clients, rows, problems }) => ({ clients, rows, problems }))).toEqual([
      { clients: 1, rows: 11, problems: [] },
      { clients: 1, rows: 9, problems: [] },
      { clients: 1, rows: 8, problems: [] },
      { clients: 1, rows: 4, problems: [] },
    ]);
  });

  it('reads the output of "istioctl proxy-config all" as JSON and as YAML', () => {
    const file = 'istio/istioctl__pkg__proxyconfig__testdata__config_dump.json';
    const json = importFile(realDir, file);
    const text = stringify(JSON.parse(readFileSync(path.join(realDir, file), 'utf8')));
    const yaml = importBytes(file, Buffer.from(text));
    // Above 8 MiB it is read block by block.
    const blocks = importBytes(file, Buffer.from(`${'# filler\n'.repeat(1_000_000)}${text}`));
    expect(json.what).toBe('json Envoy config dump, bootstrap');
    expect([yaml, blocks]).toEqual(Array(2).fill({ ...json, what: 'yaml Envoy config dump, bootstrap' }));
  });
});

describe('import of captured messages', () => {
  it('reads the protobuf of clients and management servers', () => {
    const answers = ['js', 'py151', 'go164'].map((client) =>
      importFile(capturesDir, `${client}/csds-2-nacked.bin`),
    );
    for (const { what, clients, rows, problems } of answers) {
      expect({ what, clients, problems }).toEqual({ what: 'protobuf CSDS answer', clients: 1, problems: [] });
      expect(rows).toBeGreaterThan(6);
    }
    expect(importFile(capturesDir, 'go-control-plane/sotw-001.bin')).toMatchObject({
      what: 'protobuf DiscoveryResponse',
      clients: 1,
      problems: [],
    });
  });

  it('reads the version of each resource of a delta response, in protobuf and JSON', () => {
    const versionsIn = (file: string): Record<string, string> => {
      const plan = planReport(readCapture('go-control-plane', file));
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
