import { copyFile } from 'node:fs/promises';
import path from 'node:path';
import { runTool, suiteFile } from './cache';

/** Builds a Go file of tests/peers with these modules, as in "google.golang.org/grpc@v1.85.0", into `dir`/program. */
export async function buildGo(dir: string, source: string, modules: readonly string[]): Promise<void> {
  await copyFile(suiteFile(source), path.join(dir, 'main.go'));
  await runTool('go', ['mod', 'init', 'peer'], dir);
  await runTool('go', ['get', ...modules], dir);
  await runTool('go', ['mod', 'tidy'], dir);
  await runTool('go', ['build', '-trimpath', '-ldflags=-s -w', '-o', 'program', '.'], dir);
}
