# Sourced by scripts in this folder, after `die` is defined. debian_program NAME PACKAGE [LIBRARY…] prints the
# path of a program: the program in PATH, or else the program of a Debian package, unpacked into the cache
# with the packages of its libraries. Installing the package would start a service.
debian_program() {
  local name=$1 package=$2 cache="${XDG_CACHE_HOME:-$HOME/.cache}/phonerack/debian" draft program
  PATH=$PATH:/usr/sbin command -v "$name" && return
  if ! [ -d "$cache/$package" ]; then
    command -v apt-get >/dev/null 2>&1 || die "$name is missing: install $package"
    mkdir -p "$cache"
    draft=$(mktemp -d "$cache/draft-XXXXXX")
    (
      cd "$draft"
      apt-get -q download "${@:2}" >/dev/null 2>&1 || {
        apt-get -q update >/dev/null 2>&1
        apt-get -q download "${@:2}" >/dev/null
      }
      for file in ./*.deb; do dpkg-deb -x "$file" root; done
    ) >&2 || die "Debian's package $package could not be unpacked"
    mv "$draft/root" "$cache/$package"
    rm -rf "$draft"
  fi
  program=$(find "$cache/$package/usr" -path "*bin/$name" -type f)
  if [ $# -gt 2 ]; then
    printf '#!/bin/sh\nLD_LIBRARY_PATH=%s exec %s "$@"\n' "$(echo "$cache/$package"/usr/lib/*-linux-gnu)" "$program" >"$cache/$package/$name"
    chmod +x "$cache/$package/$name"
    program="$cache/$package/$name"
  fi
  echo "$program"
}
