import { readFileSync } from 'node:fs';
import path from 'node:path';
import protobuf from 'protobufjs';
import { projectRoot } from '../project-root';

let loaded: protobuf.Root | undefined;

/**
 * Every message type that xdscope knows, by reflection (measured as fast as generated code, and steadier).
 * Made by protos/build.mjs; read once a process, about 0.25 s.
 */
export function descriptorRoot(): protobuf.Root {
  if (loaded === undefined) {
    const file = path.join(projectRoot, 'protos', 'generated', 'descriptors.json');
    loaded = protobuf.Root.fromJSON(JSON.parse(readFileSync(file, 'utf8')));
    loaded.resolveAll();
    // protojson and textformat resolve every Any through this method; by default it would also take a type of the same last words.
    loaded.lookupType = (path) => {
      const name = (Array.isArray(path) ? path.join('.') : path).replace(/^\./, '');
      const type = findMessageType(name);
      if (type === undefined) throw new Error(`the type "${name}" is not in xdscope's protos`);
      return type;
    };
  }
  return loaded;
}

/** By full name ("envoy.config.cluster.v3.Cluster") or type URL; undefined when unknown. */
export function findMessageType(nameOrTypeUrl: string): protobuf.Type | undefined {
  const name = nameOrTypeUrl.slice(nameOrTypeUrl.lastIndexOf('/') + 1);
  if (name === '') return undefined;
  const found = descriptorRoot().lookup(`.${name}`, [protobuf.Type]);
  // protobufjs also finds "Cluster" somewhere below; only the whole name is the type that was meant.
  return found instanceof protobuf.Type && found.fullName === `.${name}` ? found : undefined;
}

/** For types that ship with xdscope; absence is a build error, not bad input. */
export function messageType(name: string): protobuf.Type {
  const type = findMessageType(name);
  if (type === undefined) throw new Error(`protos: message type "${name}" is not in the descriptor root`);
  return type;
}
