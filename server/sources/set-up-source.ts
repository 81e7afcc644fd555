import type { NewSource } from '@/lib/api/schema';
import { BootstrapError } from '../bootstrap/bootstrap-error';
import { type Bootstrap, checkBootstrap, parseJson } from '../bootstrap/read-bootstrap';
import { buildProbe } from '../config/build-probe';
import { readTlsFiles } from '../config/read-tls-files';
import { SettingError } from '../config/setting-error';
import type { SourceSetup } from '../config/source-setup';
import { insecure } from '../grpc/credentials-config';
import { parseTarget } from '../grpc/target';
import { usualNodeId } from '../istiod/debug-question';
import { sourceIdOf } from './source-id';

/** What somebody asked for in the browser, or by API, ready to start. */
export interface ReadySource {
  readonly id: string;
  readonly kind: NewSource['kind'];
  readonly target: string;
  readonly setup: SourceSetup;
}

/**
 * Throws SettingError with the field of the request. A stranger may name files of certificates, which never leave this
 * machine; but no token files, which would be sent to whatever server the stranger names, and no files to be shown.
 */
export function setUpSource(input: NewSource): ReadySource {
  switch (input.kind) {
    case 'csds':
      return setUpCsds(input);
    case 'envoy-admin':
      return setUpEnvoyAdmin(input);
    case 'istiod':
      return setUpIstiod(input);
    case 'ads':
      return setUpAds(input);
  }
}

/** The JSON of a bootstrap in a request. */
export function readBootstrapField(bootstrap: NonNullable<NewSource['bootstrap']>): unknown {
  if (typeof bootstrap !== 'string') return bootstrap;
  return asField('bootstrap', () => parseJson(bootstrap, 'the bootstrap'));
}

function setUpCsds({ target: text, bootstrap, settings = {} }: NewSource): ReadySource {
  if (bootstrap !== undefined) {
    throw new SettingError('bootstrap', 'expected none for a CSDS source, got one');
  }
  const { tls, ...others } = settings;
  const [other] = Object.keys(others);
  if (other !== undefined) {
    throw new SettingError(`settings.${other}`, 'expected tls alone for a CSDS source, got this beside it');
  }
  const parsed = parseTarget(text ?? '');
  if (!parsed.ok) throw new SettingError('target', parsed.problem.message);
  const target = parsed.target.text;
  const credentials = tls === undefined ? insecure : readTlsFiles(tls, 'settings.tls', null);
  const setup = { kind: 'csds', security: { credentials, callCredentials: [] } } as const;
  return { id: sourceIdOf('csds', target), kind: 'csds', target, setup };
}

function setUpIstiod({ target: text, bootstrap, settings = {} }: NewSource): ReadySource {
  if (bootstrap !== undefined) throw new SettingError('bootstrap', 'expected none for an istiod, got one');
  const { tls, nodeId = usualNodeId, ...others } = settings;
  const [other] = Object.keys(others);
  if (other !== undefined) {
    throw new SettingError(
      `settings.${other}`,
      'expected tls and nodeId alone for an istiod, got this beside it',
    );
  }
  const parsed = parseTarget(text ?? '');
  if (!parsed.ok) throw new SettingError('target', parsed.problem.message);
  const target = parsed.target.text;
  const credentials = tls === undefined ? insecure : readTlsFiles(tls, 'settings.tls', null);
  const setup = { kind: 'istiod', security: { credentials, callCredentials: [] }, nodeId } as const;
  return { id: sourceIdOf('istiod', target), kind: 'istiod', target, setup };
}

function setUpEnvoyAdmin({ target: text, bootstrap, settings = {} }: NewSource): ReadySource {
  if (bootstrap !== undefined) {
    throw new SettingError('bootstrap', "expected none for Envoy's admin interface, got one");
  }
  const [setting] = Object.keys(settings);
  if (setting !== undefined) {
    throw new SettingError(
      `settings.${setting}`,
      "expected no settings for Envoy's admin interface, got this",
    );
  }
  const parsed = parseTarget(text ?? '');
  if (!parsed.ok) throw new SettingError('target', parsed.problem.message);
  const target = parsed.target.text;
  const setup = { kind: 'envoy-admin' } as const;
  return { id: sourceIdOf('envoy-admin', target), kind: 'envoy-admin', target, setup };
}

function setUpAds({ target: said, bootstrap: json, settings = {} }: NewSource): ReadySource {
  if (settings.transport === 'file') {
    throw new SettingError(
      'settings.transport',
      'expected a transport that reaches a server, got "file": files are named in the config file alone',
    );
  }
  const bootstrap =
    json === undefined ? undefined : asField('bootstrap', () => checkForeign(readBootstrapField(json)));
  const {
    target,
    variant,
    node,
    settings: built,
  } = buildProbe({ target: said, bootstrap, settings }, { where: 'settings.', cwd: null });
  const setup = { kind: 'ads', node, settings: built } as const;
  return { id: sourceIdOf('ads', target, variant), kind: 'ads', target, setup };
}

function checkForeign(json: unknown): Bootstrap {
  const bootstrap = checkBootstrap(json, null);
  const lists = [bootstrap.servers, ...[...bootstrap.authorities.values()].map(({ servers }) => servers)];
  if (lists.flat().some(({ callCredentials }) => callCredentials.length > 0)) {
    throw new BootstrapError(
      'call_creds',
      'expected none here: token files are read only for bootstraps that --bootstrap or the config file name',
    );
  }
  return bootstrap;
}

function asField<T>(field: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof BootstrapError) throw new SettingError(field, error.message);
    throw error;
  }
}
