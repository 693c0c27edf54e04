/** Programs that show a terminal to a person. Editors are not among them: their agents use the same terminals. Nor are servers that run without one. */
export const emulators: ReadonlySet<string> = new Set([
  'alacritty',
  'cool-retro-term',
  'deepin-terminal',
  'foot',
  'ghostty',
  'gnome-terminal-server',
  'iterm2',
  'itermserver',
  'kgx',
  'kitty',
  'konsole',
  'lxterminal',
  'mate-terminal',
  'mlterm',
  'ptyxis-agent',
  'qterminal',
  'rxvt',
  'rxvt-unicode',
  'sakura',
  'st',
  'terminal',
  'terminology',
  'tilix',
  'urxvt',
  'urxvtd',
  'wezterm-gui',
  'xfce4-terminal',
  'xterm',
  'yakuake',
])

/** Programs that show several terminals on the one that a client of theirs runs on. */
export const multiplexers: ReadonlySet<string> = new Set(['tmux', 'screen'])

/** Programs that put a terminal of another user on the one they run on. */
export const relays: ReadonlySet<string> = new Set(['sudo', 'su', 'doas', 'login'])

/** Programs that bring a terminal from another machine. */
export const remotes: ReadonlySet<string> = new Set(['sshd', 'sshd-session'])
