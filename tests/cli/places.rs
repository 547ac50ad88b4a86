//! Projects, sections, workspaces, pages.

use crate::support::{TestHome, texts};

#[test]
fn projects_are_registered_moved_and_unregistered() {
    let home = TestHome::new();
    let (shop, api) = (home.project("shop"), home.project("api"));
    let list = home.run(["project", "list", "--json"]).ok().json();
    assert_eq!(list["projects"][0]["name"], "shop");
    assert_eq!(list["projects"][0]["path"], shop.path().to_string_lossy().as_ref());
    assert_eq!(list["projects"][1]["git"], true);
    assert_eq!(list["projects"][1]["position"], 1);
    let moved = home.run(["project", "move", "api", "0", "--json"]).ok().json();
    assert_eq!((moved["name"].as_str(), moved["position"].as_u64()), (Some("api"), Some(0)));
    let id = home.spawn(["--project", "api"], "wait");
    home.run(["project", "remove", "api"]).ok();
    home.run(["project", "remove", "api"]).code(3);
    home.run(["project", "move", "api", "0"]).code(3);
    assert!(home.show(&id)["project"].is_null());
    let again = home.run(["project", "add", &api.path().to_string_lossy(), "--json"]).ok().json();
    assert_eq!(again["sessions"], 1, "registering again brings its sessions back");
    home.finish();
}

#[test]
fn workspaces_do_not_see_each_other() {
    let home = TestHome::new();
    let repository = home.project("shop");
    let first = home.spawn(["--project", "shop"], "wait");
    let path = repository.path().to_string_lossy().into_owned();
    home.run(["project", "add", &path, "--name", "shop", "--workspace", "other"]).ok();
    let second = home.spawn(["--workspace", "other", "--project", "shop"], "wait");
    assert_eq!(first, second, "ids are counted in each workspace");
    let shown = home.run(["show", &second, "--workspace", "other", "--json"]).ok().json();
    assert_eq!(shown["branch"], "callboard-other/shop-1");
    assert_eq!(shown["workspace"], "other");
    home.run(["delete", &second, "--workspace", "other", "--yes"]).ok();
    assert_eq!(home.show(&first)["alive"], true);
    assert_eq!(home.run(["list", "--workspace", "other", "--json"]).ok().json()["total"], 0);
    home.finish();
}

#[test]
fn pages_follow_each_other_and_filters_count() {
    let home = TestHome::new();
    let made: Vec<String> = (0..5).map(|_| home.scripted("wait")).collect();
    let mut seen = Vec::new();
    let mut cursor: Option<String> = None;
    loop {
        let mut args = vec!["list", "--limit", "2", "--json"];
        args.extend(cursor.iter().flat_map(|cursor| ["--cursor", cursor]));
        let page = home.run(args).ok().json();
        assert_eq!(page["total"], 5);
        let ids = page["sessions"].as_array().unwrap().iter();
        seen.extend(ids.map(|session| session["id"].as_str().unwrap().to_owned()));
        cursor = page["next_cursor"].as_str().map(str::to_owned);
        if cursor.is_none() {
            break;
        }
    }
    let newest_first: Vec<String> = made.iter().rev().cloned().collect();
    assert_eq!(seen, newest_first);
    let page = home.run(["list", "--offset", "3", "--json"]).ok().json();
    assert_eq!(page["sessions"].as_array().unwrap().len(), 2);
    let named = home.run(["list", &made[1], "--json"]).ok().json();
    assert_eq!(
        (named["total"].as_u64(), named["sessions"][0]["id"].as_str()),
        (Some(1), Some(&*made[1]))
    );
    let none = home.run(["list", "--agent", "claude", "--json"]).ok().json();
    assert_eq!((none["total"].as_u64(), texts(&none["sessions"]).len()), (Some(0), 0));
    home.finish();
}

#[test]
fn the_configuration_is_shown_with_its_sources_and_checked() {
    let home = TestHome::new();
    let folder = home.path().join("config");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("config.toml"), "max_starting = 2\n").unwrap();
    let shown = home.run(["config", "--json"]).ok().json();
    let value = |key: &str| {
        let values = shown["values"].as_array().unwrap();
        values.iter().find(|value| value["key"] == key).unwrap().clone()
    };
    assert_eq!(value("max_starting")["value"], 2);
    assert!(value("max_starting")["source"].as_str().unwrap().ends_with("config.toml"));
    assert_eq!(value("agent")["source"], "default");
    std::fs::write(folder.join("config.toml"), "max_startin = 2\n").unwrap();
    let error = home.run(["list", "--json"]).code(2).error();
    let message = error["message"].as_str().unwrap();
    assert!(message.contains("config.toml") && message.contains("line 1"), "{message}");
    assert!(error["hint"].as_str().unwrap().contains("max_starting"));
    home.finish();
}

#[test]
fn agents_are_listed() {
    let home = TestHome::new();
    let list = home.run(["agents", "list", "--json"]).ok().json();
    let agents = list["agents"].as_array().unwrap();
    let shell = agents.iter().find(|agent| agent["name"] == "shell").unwrap();
    for field in ["program", "version", "found", "verified", "can"] {
        assert!(shell.get(field).is_some(), "{field}");
    }
    home.finish();
}
