import { readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { buildTopology } from '@/lib/views/graph/build-topology';
import { layoutTopology } from '@/lib/views/graph/layout-topology';
import { normaliseTypeUrl } from '@/lib/xds/resource-type';
import { clientStatuses } from '@/lib/xds/status';
import { capturesDir, readCapture } from '../../../support/builders/codec-corpus';
import { type MeshResource, topologyInput } from '../../../support/builders/topology-mesh';

const read = (file: string): unknown => JSON.parse(readCapture(file).toString('utf8'));
const body = z.record(z.string(), z.unknown());

const csdsAnswer = z.object({
  config: z.array(
    z.object({
      genericXdsConfigs: z
        .array(
          z.object({
            typeUrl: z.string(),
            name: z.string().default(''),
            versionInfo: z.string().default(''),
            clientStatus: z.enum(clientStatuses).default('UNKNOWN'),
            xdsConfig: body.optional(),
            errorState: z
              .object({
                details: z.string().default(''),
                versionInfo: z.string().default(''),
                failedConfiguration: body.optional(),
              })
              .optional(),
          }),
        )
        .default([]),
    }),
  ),
});
const discoveryResponse = z.object({ typeUrl: z.string(), resources: z.array(body).default([]) });

function resourcesOfCsds(file: string): MeshResource[] {
  const configs = csdsAnswer.parse(read(file)).config.flatMap((config) => config.genericXdsConfigs);
  return configs.map(({ typeUrl, xdsConfig, errorState, ...reported }) => ({
    ...reported,
    typeUrl: normaliseTypeUrl(typeUrl),
    body: xdsConfig ?? errorState?.failedConfiguration,
    errorState: errorState
      ? {
          details: errorState.details,
          versionInfo: errorState.versionInfo,
          lastUpdateAttempt: null,
          failedHash: null,
        }
      : null,
  }));
}

describe('with captures of real clients', () => {
  test('buildTopology connects all resources of a grpc-js client', () => {
    const { nodes, edges } = buildTopology(topologyInput(resourcesOfCsds('js/csds-1-acked.protojson.json')));
    const endpoints = nodes.filter(({ kind }) => kind === 'endpoint');
    expect(endpoints.length).toBeGreaterThan(0);
    for (const { id } of endpoints) {
      let at: string | undefined = id;
      let top = id;
      while (at !== undefined) {
        top = at;
        at = edges.find(({ target }) => target === top)?.source;
      }
      expect(top).toMatch(/^listener:/);
    }
  });

  test.each(['js', 'py151', 'go164'])(
    'buildTopology keeps the way to the endpoints of %s while four resources are NACKED',
    (client) => {
      const { nodes } = buildTopology(
        topologyInput(resourcesOfCsds(`${client}/csds-2-nacked.protojson.json`)),
      );
      const nacked = nodes.filter(({ status }) => status === 'NACKED');
      expect(nacked.length).toBeGreaterThanOrEqual(4);
      expect(nacked.every(({ reason }) => reason !== '')).toBe(true);
      expect(nodes.some(({ kind }) => kind === 'endpoint')).toBe(true);
    },
  );

  test('buildTopology and layoutTopology handle all resources of go-control-plane', () => {
    const files = readdirSync(path.join(capturesDir, 'go-control-plane')).filter((file) =>
      /^sotw.*protojson/.test(file),
    );
    const resources = files.flatMap((file): MeshResource[] => {
      const { typeUrl, resources: bodies } = discoveryResponse.parse(read(`go-control-plane/${file}`));
      return bodies.map((resource) => ({
        typeUrl,
        name: String(resource.name ?? resource.clusterName ?? ''),
        body: resource,
      }));
    });
    const topology = buildTopology(topologyInput(resources));
    expect(new Set(topology.nodes.map(({ kind }) => kind))).toEqual(
      new Set([
        'listener',
        'route-config',
        'virtual-host',
        'route',
        'cluster',
        'priority',
        'locality',
        'endpoint',
        'secret',
      ]),
    );
    expect(layoutTopology(topology).nodes).toHaveLength(topology.nodes.length);
  });
});
