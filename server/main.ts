import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import path from 'node:path';
import next from 'next';
import { readAccessToken } from './access-token';
import { resetLoopDelay } from './answers/build-health';
import { operations } from './answers/openapi/openapi';
import { oldStateFiles } from './compose/convert-state-files';
import { copyRecording } from './compose/copy-recording';
import { startRuntime } from './compose/start-runtime';
import type { Config } from './config/config';
import { findExposedListeners } from './config/find-exposed-listeners';
import { type MaintenanceCommand, readConfig, readMaintenance } from './config/read-config';
import { HelpRequested } from './config/read-flags';
import { ConfigError } from './config-error';
import { compressAnswer } from './http/compress-answer';
import { findCost } from './http/find-cost';
import { findMisroute } from './http/find-misroute';
import { rejectInternalRequests, serveRequest } from './http/internal-requests';
import { hasBody, lingerAfterAnswer } from './http/linger-after-answer';
import { answerProbe, isProbe, sendUnready } from './http/probes';
import { rejectRequest } from './http/problem-json';
import { isImport, receiveImport } from './http/receive-import';
import { findRejection } from './http/request-gate';
import { RequestLimit } from './http/request-limit';
import { setSecurityHeaders } from './http/security-headers';
import { type AssetManifest, findAsset, readAssetManifest, serveAsset } from './http/serve-asset';
import { findTokenAnswer, removeCredentials, sendTokenAnswer } from './http/token-gate';
import { runtimeSymbol } from './index';
import { configureLog, log } from './logger';
import { systemClock } from './observe';
import { projectRoot } from './project-root';
import { redactOutput } from './redact-output';
import { writeBackup } from './store/backup/backup';
import { restoreBackup } from './store/backup/restore';
import { RecorderError } from './store/recorder/recorder';
import { UnhandledRejections } from './unhandled-rejections';

// The process that reads our output may have ended. That is not a reason to end, and Node throws the error again for each
// write that is not handled.
for (const output of [process.stdout, process.stderr]) output.on('error', () => undefined);
const printUnredacted = redactOutput();

// The process that started this one has ended (start.mjs, reload.mjs).
process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));

/**
 * A proxy, or a browser, that sends a request while the server closes its idle connection receives a reset, and must not
 * repeat a POST. Proxies keep idle connections for up to 60 s by default (nginx's `keepalive_timeout` of an upstream,
 * the load balancers of AWS); they close them first.
 */
const idleConnectionMs = 75_000;

async function main(): Promise<void> {
  const { version } = JSON.parse(readFileSync(path.join(projectRoot, 'package.json'), 'utf8'));
  const given = {
    ...{ argv: process.argv.slice(2), env: process.env, version },
    cwd: process.env.XDSCOPE_CWD ?? process.cwd(),
  };
  const maintenance = readMaintenance(given);
  if (maintenance !== undefined) {
    process.stdout.write(await maintain(maintenance));
    process.exit(0);
  }
  const config = readConfig(given);

  configureLog(config.log);
  // Child processes do not need it.
  delete process.env.XDSCOPE_TOKEN;

  // The directory is removed at every end except by SIGKILL.
  if (config.isTemporary) process.on('exit', () => rmSync(config.dataDir, { recursive: true, force: true }));

  let unready: string | undefined = 'xdscope is starting: it opens the recording';
  let serve = (request: IncomingMessage, response: ServerResponse): void => {
    request.resume();
    sendUnready(response, unready ?? '');
  };
  const server = createServer((request, response) => {
    setSecurityHeaders(request, response, config);
    if (hasBody(request)) lingerAfterAnswer(request, response);
    const rejection = findRejection(request, { allowedHosts: [...config.allowedHosts, config.host] });
    if (rejection !== undefined) rejectRequest(request, response, rejection);
    else if (isProbe(request)) answerProbe(request, response, unready);
    else serve(request, response);
  });
  server.keepAliveTimeout = idleConnectionMs;
  const port = await listen(server, config);

  const pages = next({ dev: config.dev, dir: projectRoot, hostname: config.host, port, quiet: true });
  const rejections = new UnhandledRejections();
  const [runtime] = await Promise.all([startRuntime(config, version, rejections), pages.prepare()]);
  const token = readAccessToken(config);
  Reflect.set(globalThis, runtimeSymbol, { ...runtime, api: rejectInternalRequests(runtime.api) });
  const handlePage = pages.getRequestHandler();
  const servePage = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    try {
      await serveRequest(request, () => handlePage(request, response));
    } catch (error) {
      log('error', 'http', `${request.method} ${request.url}: ${String(error)}`);
      response.destroy();
    }
  };
  const limits = {
    question: new RequestLimit({ what: 'expensive requests', atOnce: 8, waiting: 64 }),
    recording: new RequestLimit({ what: 'exports', atOnce: 4, waiting: 16 }),
    // One import is read at a time; the files of the others are received, and wait.
    import: new RequestLimit({ what: 'imports', atOnce: 9, waiting: 0 }),
  };
  // The development server replaces its files as sources change.
  const assets: AssetManifest = config.dev ? new Map() : readAssetManifest(projectRoot);

  serve = (request, response) => {
    // Files of the build contain no data.
    const asset = findAsset(request, assets);
    if (asset !== undefined) {
      void serveAsset(request, response, asset, projectRoot);
      return;
    }
    const answer = token === undefined ? undefined : findTokenAnswer(request, token);
    if (answer !== undefined) {
      sendTokenAnswer(request, response, answer);
      return;
    }
    removeCredentials(request);
    const misroute = findMisroute(request, { operations, dev: config.dev });
    if (misroute !== undefined) {
      rejectRequest(request, response, misroute);
      return;
    }
    compressAnswer(request, response);
    if (isImport(request)) {
      limits.import.take(request, response, () =>
        receiveImport(request, response, (...file) => runtime.api.addImport(...file)),
      );
      return;
    }
    const kind = findCost(request);
    if (kind === undefined) void servePage(request, response);
    else limits[kind].take(request, response, () => servePage(request, response));
  };
  unready = undefined;

  let closing: Promise<void> | undefined;
  const close = (signal: string): void => {
    closing ??= (async () => {
      process.stdout.write(`xdscope: ${signal}, closing\n`);
      unready = 'xdscope is closing';
      server.close();
      for (const limit of Object.values(limits)) limit.close();
      await runtime.close();
      server.closeAllConnections();
      await pages.close();
      process.exit(0);
    })();
    closing.catch((error: unknown) => {
      log('error', 'process', `closing: ${String(error)}`);
      process.exit(1);
    });
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => close(signal));
  // An error that one peer causes must not end the recorder: it is logged, and everything else continues.
  process.on('unhandledRejection', (reason) => {
    rejections.note(reason, Date.now());
    log(
      'error',
      'process',
      `unhandled rejection: ${reason instanceof Error ? reason.stack : String(reason)}`,
    );
  });

  resetLoopDelay();
  const host = config.host.includes(':') ? `[${config.host}]` : config.host;
  const url = `http://${host}:${port}`;
  printUnredacted(`xdscope: ${token === undefined ? url : `${url}/?token=${token}`}\n`);
  for (const warning of findExposedListeners(config)) log('warn', 'process', `WARNING: ${warning}`);
}

/** Returns a line about what was done. Throws ConfigError and RecorderError. */
async function maintain(given: MaintenanceCommand): Promise<string> {
  if (given.command === 'copy') {
    const print = (line: string): void => void process.stdout.write(`xdscope: ${line}\n`);
    const { observations, permalinks, pins } = await copyRecording({ ...given, clock: systemClock, print });
    return `xdscope: the store has all of ${given.from}: ${observations} observations, ${permalinks} permalinks, ${pins} pins\n`;
  }
  const { command, file, dataDir } = given;
  const at = Date.now();
  if (command === 'backup') {
    const { files } = await writeBackup({ dataDir, file, at });
    const bytes = files.reduce((sum, each) => sum + each.bytes, 0);
    return `xdscope: ${file} has ${files.map(({ name }) => name).join(', ')} of ${dataDir} (${bytes} bytes)\n`;
  }
  const aside = await restoreBackup({ dataDir, oldFiles: oldStateFiles, file, at });
  const former = aside === undefined ? '' : `; its former files are in ${path.join(dataDir, aside)}`;
  return `xdscope: ${dataDir} has the content of ${file}${former}\n`;
}

/** Resolves with the port. Throws ConfigError. */
async function listen(server: Server, { host, port }: Config): Promise<number> {
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
    const reason = isTaken ? 'the port is taken (choose another with --port)' : String(error);
    throw new ConfigError(`--host/--port: expected to listen on ${host}:${port}, got: ${reason}`);
  }
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : port;
}

main().catch((error: unknown) => {
  if (error instanceof HelpRequested) {
    process.stdout.write(error.message);
    process.exit(0);
  }
  // An error that the user can resolve is one line; an internal error has its stack.
  const isPlain = error instanceof ConfigError || error instanceof RecorderError || isFileError(error);
  const message =
    error instanceof Error ? (isPlain ? error.message : (error.stack ?? error.message)) : String(error);
  log('error', 'process', message);
  process.exit(isPlain ? 2 : 1);
});

/** Node's message is one line with file and reason: "EACCES: permission denied, open '/data/redaction.key'". */
function isFileError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && 'path' in error;
}
