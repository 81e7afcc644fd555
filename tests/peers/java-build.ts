import { copyFile } from 'node:fs/promises';
import path from 'node:path';
import { runTool, suiteFile } from './cache';

/**
 * Copies the dependencies of a POM into `dir`/lib and compiles a class of tests/peers, with those that it uses, into `dir`/classes. `properties`
 * are those of the POM, as in "grpc.version=1.85.1".
 */
export async function buildJava(
  dir: string,
  folder: string,
  source: string,
  properties: readonly string[],
): Promise<void> {
  await copyFile(suiteFile(folder, 'pom.xml'), path.join(dir, 'pom.xml'));
  await runTool(
    'mvn',
    [
      ...['-q', '-B', ...properties.map((property) => `-D${property}`)],
      ...['dependency:copy-dependencies', '-DincludeScope=runtime', '-DoutputDirectory=lib'],
    ],
    dir,
  );
  const sources = ['-sourcepath', suiteFile(folder), suiteFile(folder, source)];
  const compile = ['--release', '11', '-cp', 'lib/*', '-d', 'classes', ...sources];
  await runTool('javac', compile, dir);
}

/** Arguments of `java` for a class that buildJava() has made. */
export function javaArguments(dir: string, mainClass: string): string[] {
  return ['-Xmx256m', '-cp', `${path.join(dir, 'classes')}:${path.join(dir, 'lib', '*')}`, mainClass];
}
