import type { JsonObject } from '../../codec/json/json-object';
import { BootstrapError, stateBeside } from './bootstrap-error';
import { at, isEmpty, objectAt, objectsAt, textAt } from './envoy-json';

/** Reads the document of a file; undefined if files are ignored, which is noted. Throws a BootstrapError. */
export type ReadDocument = (file: string, where: string) => JsonObject | undefined;

/**
 * Finds the Secret of a SdsSecretConfig: a static one, or one of a file. Returns an empty object if files are ignored. Throws
 * a BootstrapError for a secret that an SDS server sends, because such a server is mostly an agent beside the Envoy.
 */
export type FindSecret = (reference: JsonObject, where: string) => JsonObject;

export function createSecretFinder(bootstrap: JsonObject, readDocument: ReadDocument): FindSecret {
  const statics = objectsAt(objectAt(bootstrap, 'static_resources'), 'secrets');
  return (reference, where) => {
    const name = textAt(reference, 'name') ?? '';
    const source = objectAt(reference, 'sds_config');
    const file = textAt(objectAt(source, 'path_config_source'), 'path') ?? textAt(source, 'path');
    if (file === undefined && !isEmpty(source)) {
      throw new BootstrapError(
        where,
        `expected a static secret or one of a file, got an SDS server: ${stateBeside}`,
      );
    }
    const document = file === undefined ? bootstrap : readDocument(file, `${where}.sds_config.path`);
    if (document === undefined) return {};
    const secrets = file === undefined ? statics : objectsAt(document, 'resources').map(unwrapped);
    const secret = secrets.find((each) => textAt(each, 'name') === name);
    if (secret !== undefined) return secret;
    const place = file === undefined ? 'static_resources.secrets' : 'the file';
    throw new BootstrapError(where, `expected a secret ${JSON.stringify(name)} in ${place}, got none`);
  };
}

/** A resource may be in an envoy.service.discovery.v3.Resource. */
function unwrapped(json: JsonObject): JsonObject {
  return at(json, 'resource') === undefined ? json : objectAt(json, 'resource');
}
