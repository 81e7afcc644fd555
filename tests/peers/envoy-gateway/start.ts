import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { waitUntil } from '../../support/wait-until';
import { runTool } from '../cache';
import { startChild } from '../child';
import type { ConfigDir } from '../config-dir';
import type { Prepared } from '../peer';

/** Ports of Envoy Gateway that cannot be chosen. */
const xdsPort = 18_000;
const readinessPort = 8_081;

/** The address at which Envoy Gateway serves xDS with mTLS. */
export const xdsTarget = `127.0.0.1:${xdsPort}`;

/** Paths. */
interface ClientCertificate {
  readonly caCertificateFile: string;
  readonly certificateFile: string;
  readonly privateKeyFile: string;
}

/** Certificates of Envoy Gateway, and those with which an Envoy reaches it. */
export interface Certificates {
  readonly homeDir: string;
  /**
   * The certificates of a tap before Envoy Gateway: it has the names of Envoy Gateway for Envoy, and of Envoy for
   * Envoy Gateway.
   */
  readonly tapTls: {
    readonly listenTls: ClientCertificate;
    readonly upstreamTls: ClientCertificate & { readonly serverName: string };
  };
}

export async function issueCertificates({ dir }: Prepared, workDir: string): Promise<Certificates> {
  const homeDir = path.join(workDir, 'home');
  mkdirSync(homeDir, { recursive: true });
  await runTool(path.join(dir, 'envoy-gateway'), ['certgen', '--local', '--config-home', homeDir], workDir);
  const filesOf = (name: string): ClientCertificate => {
    const file = (base: string) => path.join(homeDir, 'certs', name, base);
    return {
      caCertificateFile: file('ca.crt'),
      certificateFile: file('tls.crt'),
      privateKeyFile: file('tls.key'),
    };
  };
  return {
    homeDir,
    tapTls: {
      listenTls: filesOf('envoy-gateway'),
      upstreamTls: { ...filesOf('envoy'), serverName: 'envoy-gateway' },
    },
  };
}

export interface GatewayOptions {
  readonly certificates: Certificates;
  readonly config: ConfigDir;
  readonly workDir: string;
  /** The version and the binary of the Envoy that Envoy Gateway starts. */
  readonly envoyVersion: string;
  readonly envoyBinary: string;
  /** The port of the Envoy's admin interface. */
  readonly adminPort: number;
  /** host:port where the Envoy reaches Envoy Gateway, such as a tap. */
  readonly entrance: string;
}

export interface Gateway {
  /** The log has every request and response of xDS. */
  readonly logFile: string;
  stop(): Promise<void>;
}

/** Envoy Gateway in standalone mode, with config from files. It starts the Envoy of its Gateway. */
export async function startGateway({ dir }: Prepared, options: GatewayOptions): Promise<Gateway> {
  const { certificates, config, workDir, adminPort } = options;
  await assertFree(xdsPort);
  const dataHome = path.join(workDir, 'data');
  writeEnvoy(path.join(dataHome, 'envoy-versions', options.envoyVersion, 'bin'), options);
  const settings = path.join(workDir, 'envoy-gateway.yaml');
  writeFileSync(
    settings,
    `apiVersion: gateway.envoyproxy.io/v1alpha1
kind: EnvoyGateway
gateway: {controllerName: gateway.envoyproxy.io/gatewayclass-controller}
provider:
  type: Custom
  custom:
    resource: {type: File, file: {paths: ["${config.dir}"]}}
    infrastructure:
      type: Host
      host:
        configHome: ${certificates.homeDir}
        dataHome: ${dataHome}
        stateHome: ${path.join(workDir, 'state')}
        runtimeDir: ${path.join(workDir, 'run')}
logging: {level: {default: info, xds: debug}}
extensionApis: {enableBackend: true, enableEnvoyPatchPolicy: true}
`,
  );
  const logFile = path.join(workDir, 'envoy-gateway.log');
  const child = startChild(path.join(dir, 'envoy-gateway'), ['server', '--config-path', settings], {
    ...{ logFile, cwd: workDir, isGroup: true },
  });
  const isLive = async (): Promise<boolean> => {
    const ended = child.ended();
    if (ended !== undefined) throw new Error(`Envoy Gateway ended: ${ended}, see ${logFile}`);
    const [gateway, envoy] = await Promise.all([
      fetch(`http://127.0.0.1:${readinessPort}/readyz`),
      fetch(`http://127.0.0.1:${adminPort}/ready`),
    ]);
    return gateway.ok && (await envoy.text()).startsWith('LIVE');
  };
  await waitUntil('Envoy Gateway and its Envoy are live', isLive, 90_000);
  return { logFile, stop: () => child.stop() };
}

/** Another Envoy Gateway on this machine has the port. */
async function assertFree(port: number): Promise<void> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, resolve);
  });
  await new Promise((resolve) => server.close(resolve));
}

/**
 * Envoy Gateway looks for the binary here, and passes the bootstrap as an argument, in which the ports of its own xDS server
 * and of the admin interface cannot be chosen.
 */
function writeEnvoy(binDir: string, { envoyBinary, adminPort, entrance }: GatewayOptions): void {
  mkdirSync(binDir, { recursive: true });
  const xds = entrance.split(':')[1];
  writeFileSync(
    path.join(binDir, 'envoy'),
    `#!/bin/sh
for argument do
  shift
  set -- "$@" "$(printf %s "$argument" | sed -e 's/port_value: ${xdsPort}$/port_value: ${xds}/' -e 's/port_value: 0$/port_value: ${adminPort}/')"
done
exec '${envoyBinary}' --use-dynamic-base-id --disable-hot-restart --concurrency 1 "$@"
`,
    { mode: 0o755 },
  );
}
