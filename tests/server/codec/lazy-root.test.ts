import { readFileSync } from 'node:fs';
import path from 'node:path';
import protobuf from 'protobufjs';
import { describe, expect, it, vi } from 'vitest';
import { resourceTypes } from '@/lib/xds/resource-type';
import { LazyRoot } from '@/server/codec/lazy-root';
import { findExactly, messageTypesBelow } from '@/server/codec/message-types';
import { projectRoot } from '@/server/project-root';

const text = readFileSync(path.join(projectRoot, 'protos', 'generated', 'types.txt'), 'utf8');
const namesOf = (root: LazyRoot): string[] => [...messageTypesBelow(root)].map(({ fullName }) => fullName);

type Scope = Record<string, { nested?: Scope }>;

/** The properties that decoding depends on, with extensions sorted by number. */
function factsOf(type: protobuf.Type): string {
  const own = type.fieldsArray.filter(({ name }) => !name.startsWith('.'));
  const extensions = type.fieldsArray.filter(({ name }) => name.startsWith('.'));
  const facts = [...own, ...extensions.sort((a, b) => a.id - b.id)].map((field) => ({
    name: field.name,
    id: field.id,
    jsonName: field.jsonName,
    type: field.resolvedType?.fullName ?? field.type,
    oneof: field.partOf?.name,
    options: field.options,
    shape: [field.repeated, field.packed, field.required, field.delimited, field.hasPresence].map(Boolean),
  }));
  return JSON.stringify(facts);
}

describe('LazyRoot', () => {
  it('builds only a looked-up type and the types that it refers to', () => {
    const root = new LazyRoot(text);
    expect(namesOf(root)).toEqual([]);
    root.lookupType('.envoy.config.endpoint.v3.ClusterLoadAssignment');
    const names = namesOf(root);
    expect(names).toContain('.envoy.config.core.v3.Address');
    expect(names).toContain('.google.protobuf.Any');
    expect(names).not.toContain('.envoy.config.route.v3.RouteConfiguration');
    expect(names.length).toBeLessThan(100);
    for (const type of messageTypesBelow(root)) {
      for (const field of type.fieldsArray) {
        const isBasic = Object.hasOwn(protobuf.types.basic, field.type);
        expect([field.fullName, field.resolvedType === null]).toEqual([field.fullName, isBasic]);
      }
    }
  });

  it('builds the same type alone and with all others', () => {
    const all = new LazyRoot(text);
    all.makeAll();
    expect([...all.waiting]).toEqual([]);
    const names = namesOf(all);
    expect(names.length).toBeGreaterThan(1_700);
    // A new root for each type would take a minute.
    const few = names.filter((_, index) => index % 150 === 0);
    for (const name of [...few, '.google.protobuf.FieldOptions', '.google.protobuf.FieldDescriptorProto']) {
      const alone = new LazyRoot(text);
      expect([name, factsOf(alone.lookupType(name))]).toEqual([name, factsOf(all.lookupType(name))]);
    }
  });

  it('decodes like a root that has all types from the beginning', () => {
    const json: Scope = {};
    for (const line of text.split('\n').slice(1)) {
      const [name = ''] = line.split(' ', 1);
      const parts = name.split('.');
      const last = parts.pop() ?? '';
      let scope = json;
      for (const part of parts) {
        const inner = scope[part] ?? { nested: {} };
        scope[part] = inner;
        scope = inner.nested ?? {};
      }
      scope[last] = JSON.parse(line.slice(name.length + 1));
    }
    const whole = protobuf.Root.fromJSON({ nested: json });
    const lazy = new LazyRoot(text);
    for (const type of messageTypesBelow(whole)) {
      expect([type.fullName, factsOf(lazy.lookupType(type.fullName))]).toEqual([
        type.fullName,
        factsOf(type),
      ]);
    }
  });

  it('finds nested types, enums and services by their full names', () => {
    const root = new LazyRoot(text);
    expect(findExactly(root, 'envoy.config.cluster.v3.Cluster.EdsClusterConfig')).toBeInstanceOf(
      protobuf.Type,
    );
    expect(findExactly(root, 'envoy.config.core.v3.HealthStatus')).toBeInstanceOf(protobuf.Enum);
    expect(findExactly(root, 'envoy.config.core.v3.NoSuchThing')).toBeUndefined();
    const service = root.lookupService('.envoy.service.discovery.v3.AggregatedDiscoveryService');
    const method = service.methods.StreamAggregatedResources;
    expect(method?.resolvedRequestType?.fullName).toBe('.envoy.service.discovery.v3.DiscoveryRequest');
  });

  it('applies extensions, whether the extension or the extended type is looked up first', () => {
    const byExtended = new LazyRoot(text);
    const options = byExtended.lookupType('.google.protobuf.FieldOptions');
    expect(options.fieldsById[76569463]?.type).toBe('bool');
    const byExtension = new LazyRoot(text);
    expect(byExtension.lookup('.udpa.annotations.sensitive')).toBeInstanceOf(protobuf.Field);
    expect(byExtension.lookupType('.google.protobuf.FieldOptions').fieldsById[76569463]).toBeDefined();
    // The types are looked up one by one, from the last on.
    const backwards = new LazyRoot(text);
    for (const name of [...backwards.waiting].reverse()) backwards.make(name);
    expect([...backwards.waiting]).toEqual([]);
  });

  it('builds the usual types in advance', async () => {
    // Other tests of the process may have built every type of its root.
    vi.resetModules();
    const own = await import('@/server/codec/root');
    own.makeCommonTypes();
    const waiting = new Set(own.descriptorRoot().waiting);
    for (const { typeUrl } of resourceTypes) expect(waiting).not.toContain(typeUrl.split('/')[1]);
    expect(waiting.size).toBeGreaterThan(500);
  });
});
